import { expect, it } from 'vitest'
import { LEDGER } from '../../test/seat-node.ts'
import { fastDigest } from '../../test/digest.ts'
import { DIAL, ELECTION, MAX_TURNS, TURN, type LedgerInput } from './ledger-io.ts'
import { Ledger } from './ledger.ts'
import { seatOf } from './seat.ts'
import { openSeat } from './store.ts'

const ids = ['a', 'b', 'c', 'd']
const seats = ids.map((id) => seatOf(id, '0', true))

/** A founder of a pool of four, and the time at which it stands after some inputs. */
function founder(id: string): (input: LedgerInput, now: number) => number {
  const options = { digest: fastDigest, random: () => 0.5 }
  const { durable } = openSeat(fastDigest, [], { ledger: LEDGER, id, configuration: { groups: [{ anyOf: 4 }] } }, () => '0')
  const ledger = new Ledger(options, durable)
  return (input, now) => {
    const last = ledger.handle(input, now).at(-1)
    return last?.type === 'timer' ? last.at : NaN
  }
}

it('founders stand in the order of their seats, and each leaves the one before it the time to dial all', () => {
  const times = ids.map((id) => founder(id)({ type: 'seen', seats }, 0))
  expect(times).toEqual([0, 1, 2, 3].map((place) => place * 4 * DIAL + TURN))
})

it('a founder that sees another one before it waits for that one', () => {
  const next = founder('b')
  expect(next({ type: 'seen', seats: seats.slice(1) }, 0)).toBe(TURN)
  expect(next({ type: 'seen', seats }, 100)).toBe(100 + 4 * DIAL + TURN)
})

it('a founder does not wait for readers, nor for a seat that comes and goes, nor for ever', () => {
  const next = founder('b')
  const readers = Array.from({ length: 50 }, (_, at) => seatOf(`0${at}`, '0', false))
  expect(next({ type: 'seen', seats: [...readers, ...seats.slice(1)] }, 0)).toBe(TURN)
  const due = next({ type: 'seen', seats }, 10)
  for (let now = 20; now < 200; now += 20) {
    next({ type: 'seen', seats: seats.slice(1) }, now)
    expect(next({ type: 'seen', seats }, now + 10)).toBeLessThanOrEqual(due)
  }
  const many = Array.from({ length: 300 }, (_, at) => seatOf(`a${at}`, '0', true))
  expect(founder('b')({ type: 'seen', seats: [...many, ...seats] }, 0)).toBe(MAX_TURNS + TURN)
})

it('a founder that granted a PreVote waits for an election time-out and its turn', () => {
  const next = founder('c')
  next({ type: 'seen', seats }, 0)
  const message = { type: 'preVote', term: 1, lastIndex: 0, lastTerm: 0 } as const
  const [from = '', , to = ''] = seats
  expect(next({ type: 'message', ledger: LEDGER, from, to, message }, 200)).toBe(200 + 1.5 * ELECTION + 2 * 4 * DIAL)
})

it('late grants of the same term count', () => {
  const options = { digest: fastDigest, random: () => 0.5 }
  const { durable } = openSeat(fastDigest, [], { ledger: LEDGER, id: 'a', configuration: { groups: [{ anyOf: 4 }] } }, () => '0')
  const ledger = new Ledger(options, durable)
  const [to = '', one = '', other = ''] = seats
  ledger.handle({ type: 'seen', seats }, 0)
  ledger.handle({ type: 'timer' }, TURN)
  const granted = { type: 'preVoted', term: 1, ok: true } as const
  ledger.handle({ type: 'message', ledger: LEDGER, from: one, to, message: granted }, 500)
  // It asks again before the second answer has come.
  ledger.handle({ type: 'timer' }, 5000)
  ledger.handle({ type: 'message', ledger: LEDGER, from: other, to, message: granted }, 5100)
  expect(ledger.state.role).toBe('candidate')
})

it('a refusal takes a grant back', () => {
  const options = { digest: fastDigest, random: () => 0.5 }
  const { durable } = openSeat(fastDigest, [], { ledger: LEDGER, id: 'a', configuration: { groups: [{ anyOf: 4 }] } }, () => '0')
  const ledger = new Ledger(options, durable)
  const [to = '', one = '', other = ''] = seats
  const say = (from: string, ok: boolean): void =>
    void ledger.handle({ type: 'message', ledger: LEDGER, from, to, message: { type: 'preVoted', term: ok ? 1 : 0, ok } }, 500)
  ledger.handle({ type: 'seen', seats }, 0)
  ledger.handle({ type: 'timer' }, TURN)
  say(one, true)
  say(one, false)
  say(other, true)
  expect(ledger.state.role).toBe('preCandidate')
  say(one, true)
  expect(ledger.state.role).toBe('candidate')
})
