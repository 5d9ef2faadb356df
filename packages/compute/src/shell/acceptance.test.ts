import { expect, it } from 'vitest'
import { mayRun } from '../core/acceptance.ts'
import { acceptanceOf, encodeAcceptance, readAcceptance } from './acceptance.ts'

const roundTrip = (accept: readonly string[] | undefined): ReturnType<typeof readAcceptance> =>
  readAcceptance(encodeAcceptance(acceptanceOf(accept, 'me')))
const own = { owner: 'me', trusted: true }
const stranger = { owner: 'them', trusted: false }
const voted = { owner: 'them', trusted: false, votes: 2 }
const needyVoted = { owner: 'them', trusted: true, votes: 2 }
const needy = { owner: 'them', trusted: true }

it.each([
  [undefined, [true, true, true, false, false]],
  [['own'], [true, false, false, false, false]],
  [['sandbox'], [false, true, true, false, false]],
  [['voted'], [false, false, true, false, false]],
  [['members'], [true, true, true, true, true]],
  [['them'], [false, true, true, true, true]],
  [
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'them'],
    [true, true, true, true, true],
  ],
])('a member that accepts %j tells which jobs it may run', (accept, expected) => {
  expect([own, stranger, voted, needy, needyVoted].map((job) => mayRun(roundTrip(accept), job))).toEqual(expected)
})

it('a member of an earlier release may run any job', () => {
  expect(readAcceptance(new Uint8Array())).toBeUndefined()
  expect(mayRun(undefined, needy)).toBe(true)
})
