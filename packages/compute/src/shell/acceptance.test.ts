import { expect, it } from 'vitest'
import { mayRun } from '../core/acceptance.ts'
import { acceptanceOf, encodeAcceptance, readAcceptance } from './acceptance.ts'

const roundTrip = (accept: readonly string[] | undefined): ReturnType<typeof readAcceptance> =>
  readAcceptance(encodeAcceptance(acceptanceOf(accept, 'me')))
const own = { owner: 'me', trusted: true }
const stranger = { owner: 'them', trusted: false }
const needy = { owner: 'them', trusted: true }

it.each([
  [undefined, [true, true, false]],
  [['own'], [true, false, false]],
  [['sandbox'], [false, true, false]],
  [['members'], [true, true, true]],
  [['them'], [false, true, true]],
  [
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'them'],
    [true, true, true],
  ],
])('a member that accepts %j tells which jobs it may run', (accept, expected) => {
  expect([own, stranger, needy].map((job) => mayRun(roundTrip(accept), job))).toEqual(expected)
})

it('a member of an earlier release may run any job', () => {
  expect(readAcceptance(new Uint8Array())).toBeUndefined()
  expect(mayRun(undefined, needy)).toBe(true)
})
