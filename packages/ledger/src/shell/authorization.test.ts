import { expect, it } from 'vitest'
import { encode } from '../fold/bodies.ts'
import { isAuthorized, mayCommit } from './authorization.ts'

const seats = { of: (id: string) => (id === 'a' ? { ledger: '', seat: 'a/1', isDurable: false, votes: true } : undefined) }
const read = () => undefined
const vote = { type: 'vote', term: 1, lastIndex: 0, lastTerm: 0 } as const

it('a member speaks among voters under the seat that it states, and under no other', () => {
  expect(isAuthorized(seats, read, 'a', 'a/1', vote)).toBe(true)
  expect(isAuthorized(seats, read, 'a', 'a/2', vote)).toBe(false)
  expect(isAuthorized(seats, read, 'b', 'b/1', vote)).toBe(false)
})

it('a member proposes what concerns itself alone', () => {
  const entries = (id: string) => [encode('order', { id, incarnation: 1, number: 1, name: 'n', payload: '' })]
  expect(isAuthorized(seats, read, 'b', 'b', { type: 'propose', number: 1, entries: entries('b') })).toBe(true)
  expect(isAuthorized(seats, read, 'b', 'b', { type: 'propose', number: 1, entries: entries('a') })).toBe(false)
})

it('a seat is told what is committed by its leader alone, and a leader by nobody', () => {
  expect(mayCommit({ role: 'follower', leader: 'a/1' }, 'a/1')).toBe(true)
  expect(mayCommit({ role: 'follower', leader: 'a/1' }, 'b/1')).toBe(false)
  expect(mayCommit({ role: 'leader', leader: 'a/1' }, 'a/1')).toBe(false)
})
