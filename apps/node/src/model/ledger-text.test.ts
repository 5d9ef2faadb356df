import { expect, it } from 'vitest'
import { ledgerJson } from '../events/ledger.ts'
import { ledgerText } from './ledger-text.ts'

const voter = { id: '12D3KooWRhabzwWhqGKPhYMqEuNLYGwGNKded4wc8XiRKrkcixUP', durable: false, reachable: true }
const status = { id: '1-ab', generation: 1, state: 'ready', term: 3, leader: voter.id, voters: [voter], index: 42 } as const

it('the state of a ledger is one line, with the voters that can not be reached', () => {
  expect(ledgerText(ledgerJson(status))).toBe('ready, term 3, leader …KrkcixUP, 1 voter, index 42')
  const voters = [voter, { ...voter, id: 'b', reachable: false }, { ...voter, id: 'c' }]
  const cutOff = ledgerJson({ ...status, state: 'no-majority', leader: undefined, voters })
  expect(cutOff).toMatchObject({ leader: null, voters })
  expect(ledgerText(cutOff)).toBe('no majority, term 3, no leader, 3 voters (1 unreachable), index 42')
})
