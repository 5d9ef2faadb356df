import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { Fence } from './fence.ts'
import { LONGEST, type Granted, type LeaseEffect, type LeaseRequest, type Refusal } from './lease-input.ts'
import { Leases } from './leases.ts'
import { granterMessage } from './messages.ts'
import { maxMin } from './max-min.ts'
import { GRACE } from './shares.ts'

/** A granter on a virtual clock, with the view of its holders. */
class Bank {
  now = 0
  readonly leases = new Leases()
  readonly effects: LeaseEffect[] = []
  /** The time of each effect. */
  readonly times: number[] = []
  readonly #wakes: number[] = []
  #request = 0

  constructor(totals: Readonly<Record<string, number>> = { cpus: 10 }) {
    for (const [name, total] of Object.entries(totals)) this.feed({ type: 'offer', name, total })
  }

  feed(input: Parameters<Leases['handle']>[0]): LeaseEffect[] {
    const effects: LeaseEffect[] = []
    for (const effect of this.leases.handle(input, this.now)) {
      if (effect.type === 'timer') this.#wakes.push(effect.at)
      else effects.push(effect)
    }
    this.effects.push(...effects)
    this.times.push(...effects.map(() => this.now))
    return effects
  }

  ask(holder: string, cpus: number, more: Partial<LeaseRequest> = {}): Granted | Refusal {
    const request = this.#request++
    const asked = { amounts: { cpus }, for: 1000, from: 0, background: false, key: `${request}`, ...more }
    return answerIn(this.feed({ type: 'ask', request, holder, asked }))
  }

  pass(time: number): void {
    const end = this.now + time
    for (;;) {
      const wake = this.#wakes.at(-1) ?? Infinity
      if (wake > end) break
      this.#wakes.length = 0
      this.now = Math.max(this.now, wake)
      this.feed({ type: 'timer' })
    }
    this.now = end
  }
}

function answerIn(effects: readonly LeaseEffect[]): Granted | Refusal {
  const answer = effects.find(({ type }) => type === 'granted' || type === 'refused')
  if (answer?.type === 'granted') return answer.lease
  return (answer as Extract<LeaseEffect, { type: 'refused' }>).refusal
}

/**
 * All holders together, as far as they know from the granter's messages. They comply as late as
 * they may.
 */
class Holders {
  readonly #bank: Bank
  /** For each lease the amounts that it may use, each from one time until another. */
  readonly #segments = new Map<number, { from: number; to: number; cpus: number }[]>()
  readonly #ends = new Map<number, number>()
  #seen = 0

  constructor(bank: Bank) {
    this.#bank = bank
  }

  /** Takes the messages since the last call. Returns the amount in use now. */
  used(): number {
    const { effects, times, now } = this.#bank
    for (; this.#seen < effects.length; this.#seen++) {
      const [effect, at] = [effects[this.#seen] as LeaseEffect, times[this.#seen] as number]
      if (effect.type === 'granted') {
        const { number, startsIn, endsIn, amounts } = effect.lease
        this.#ends.set(number, at + endsIn)
        this.#from(number, at + startsIn, amounts['cpus'] ?? 0)
      } else if (effect.type === 'changed') {
        const before = (this.#segments.get(effect.number) ?? []).find(({ from, to }) => from <= at && at < to)?.cpus ?? 0
        const cpus = effect.amounts['cpus'] ?? 0
        this.#from(effect.number, cpus < before ? at + GRACE : at, cpus)
      } else if (effect.type === 'ended') this.#segments.delete(effect.number)
    }
    let used = 0
    for (const segments of this.#segments.values()) for (const { from, to, cpus } of segments) if (from <= now && now < to) used += cpus
    return used
  }

  #from(number: number, from: number, cpus: number): void {
    const kept = (this.#segments.get(number) ?? [])
      .filter((each) => each.from < from)
      .map((each) => ({ ...each, to: Math.min(each.to, from) }))
    this.#segments.set(number, [...kept, { from, to: this.#ends.get(number) ?? Infinity, cpus }])
  }
}

describe('the leases of a member', () => {
  it('are granted while there is room, and refused with the time at which there will be', () => {
    const bank = new Bank()
    expect(bank.ask('a', 6)).toMatchObject({ number: 1, startsIn: 0, endsIn: 1000, amounts: { cpus: 6 } })
    bank.pass(200)
    expect(bank.ask('b', 5)).toEqual({ code: 'CAPACITY', message: 'cpus: 1 missing; it would fit in 0.8 s', earliest: 800 })
    expect(bank.ask('b', 5, { from: 800 })).toMatchObject({ number: 2, startsIn: 800 })
    expect(bank.ask('b', 11)).toMatchObject({ code: 'CAPACITY', message: 'cpus: 7 missing' })
    expect(bank.ask('b', 1, { amounts: { gpus: 1 } })).toEqual({
      code: 'NO_CAPACITY',
      message: 'gpus is not offered here; offered are cpus',
    })
    bank.pass(800)
    expect(bank.effects.filter(({ type }) => type === 'ended')).toEqual([{ type: 'ended', holder: 'a', number: 1, reason: 'term' }])
  })

  it('are the same for a repeated key', () => {
    const bank = new Bank()
    const first = bank.ask('a', 6, { key: 'k' })
    expect(bank.ask('a', 6, { key: 'k' })).toEqual(first)
    expect(bank.ask('b', 6, { key: 'k' })).toMatchObject({ code: 'CAPACITY' })
  })

  it('are renewed and changed if there is room, and stay as they are if not', () => {
    const bank = new Bank()
    bank.ask('a', 6)
    bank.ask('b', 4, { from: 1000 })
    expect(answerIn(bank.feed({ type: 'renew', request: 90, holder: 'a', number: 1, for: 2000 }))).toMatchObject({ endsIn: 2000 })
    expect(answerIn(bank.feed({ type: 'change', request: 91, holder: 'a', number: 1, amounts: { cpus: 7 } }))).toMatchObject({
      code: 'CAPACITY',
    })
    expect(answerIn(bank.feed({ type: 'change', request: 92, holder: 'a', number: 1, amounts: { cpus: 2 } }))).toMatchObject({
      amounts: { cpus: 2 },
    })
    expect(answerIn(bank.feed({ type: 'renew', request: 93, holder: 'b', number: 1, for: 1 }))).toMatchObject({ code: 'NO_LEASE' })
  })

  it('end when their holder is gone, or gives them back', () => {
    const bank = new Bank()
    bank.ask('a', 5)
    bank.ask('b', 5)
    bank.feed({ type: 'gone', holder: 'a' })
    expect(bank.ask('c', 5)).toMatchObject({ number: 3 })
    bank.feed({ type: 'release', request: 9, holder: 'b', number: 2 })
    expect(bank.ask('c', 5)).toMatchObject({ number: 4 })
  })

  it('in the background share what others leave, and hear half a second before they have less', () => {
    const bank = new Bank()
    bank.ask('low', 10, { background: true, for: 100_000 })
    bank.ask('low2', 2, { background: true, for: 100_000 })
    // The newcomer waits until the other one had time to make room.
    expect(bank.leases.list().map(({ amounts }) => amounts['cpus'] ?? 0)).toEqual([8, 0])
    bank.pass(GRACE)
    expect(bank.leases.list().map(({ amounts }) => amounts)).toEqual([{ cpus: 8 }, { cpus: 2 }])
    bank.pass(100)
    const high = bank.ask('high', 7, { for: 5000 })
    expect(high).toMatchObject({ startsIn: GRACE })
    expect(bank.effects.slice(-2)).toMatchObject([
      { type: 'changed', holder: 'low', amounts: { cpus: 1.5 } },
      { type: 'changed', holder: 'low2', amounts: { cpus: 1.5 } },
    ])
    bank.pass(GRACE + 5000)
    expect(bank.leases.list().map(({ amounts }) => amounts)).toEqual([{ cpus: 8 }, { cpus: 2 }])
  })

  it('in advance take the rest from background leases half a second before they begin', () => {
    const bank = new Bank()
    bank.ask('low', 10, { background: true, for: 100_000 })
    bank.ask('high', 4, { from: 40_000, for: 1000 })
    bank.pass(40_000 - GRACE - 1)
    expect(bank.leases.list()[0]?.amounts).toEqual({ cpus: 10 })
    bank.pass(1)
    expect(bank.leases.list()[0]?.amounts).toEqual({ cpus: 6 })
    bank.pass(GRACE + 1000)
    expect(bank.leases.list()[0]?.amounts).toEqual({ cpus: 10 })
  })

  it('never exceed a capacity at any moment, whatever holders ask for', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('ask' as const),
        cpus: fc.integer({ min: 1, max: 10 }),
        for: fc.integer({ min: 1, max: 3000 }),
        from: fc.nat(2000),
        background: fc.boolean(),
      }),
      fc.record({
        do: fc.constantFrom('renew' as const, 'change' as const, 'release' as const),
        which: fc.nat(8),
        amount: fc.integer({ min: 1, max: 10 }),
      }),
      fc.record({ do: fc.constant('pass' as const), time: fc.nat(1500) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const bank = new Bank()
        const holders = new Holders(bank)
        const check = (): void => expect(holders.used()).toBeLessThanOrEqual(10 + 1e-6)
        for (const [request, each] of steps.entries()) {
          if (each.do === 'pass') {
            for (let left = each.time; left > 0; left -= 50) {
              bank.pass(Math.min(left, 50))
              check()
            }
          } else if (each.do === 'ask') bank.ask('a', each.cpus, each)
          else {
            const lease = bank.leases.list()[each.which]
            if (lease === undefined) continue
            const base = { request: 1000 + request, holder: 'a', number: lease.number }
            if (each.do === 'release') bank.feed({ type: 'release', ...base })
            else if (each.do === 'renew') bank.feed({ type: 'renew', ...base, for: each.amount * 200 })
            else bank.feed({ type: 'change', ...base, amounts: { cpus: each.amount } })
          }
          check()
        }
      }),
      { numRuns: 500, seed: 7 },
    )
  })

  it('take one delayed change at a time', () => {
    const bank = new Bank()
    bank.ask('low', 10, { background: true, for: 100_000 })
    bank.ask('high', 6, { for: 100_000 })
    bank.pass(GRACE)
    const change = (request: number, cpus: number) =>
      answerIn(bank.feed({ type: 'change', request, holder: 'high', number: 2, amounts: { cpus } }))
    expect(change(90, 8)).toMatchObject({ startsIn: GRACE })
    bank.pass(100)
    expect(change(91, 10)).toMatchObject({ code: 'CAPACITY', earliest: GRACE - 100 })
    expect(bank.ask('other', 10, { for: 300 })).toMatchObject({ code: 'CAPACITY' })
  })

  it('are asked for again only while they last', () => {
    const bank = new Bank()
    bank.ask('a', 1, { key: 'k' })
    expect(bank.ask('a', 1, { key: 'k', again: true })).toMatchObject({ number: 1 })
    bank.pass(1000)
    expect(bank.ask('a', 1, { key: 'k', again: true })).toMatchObject({ code: 'NO_LEASE' })
  })

  it('share a capacity that grows, and leave room for one that shrinks', () => {
    const bank = new Bank()
    bank.ask('low', 20, { background: true, for: 100_000 })
    bank.feed({ type: 'offer', name: 'cpus', total: 15 })
    expect(bank.leases.list()[0]?.amounts).toEqual({ cpus: 15 })
    bank.feed({ type: 'offer', name: 'cpus', total: 4 })
    expect(bank.leases.list()[0]?.amounts).toEqual({ cpus: 4 })
  })

  it('in the background give up one of several capacities for good', () => {
    const bank = new Bank({ cpus: 8, gpus: 2 })
    bank.ask('low', 0, { amounts: { cpus: 8, gpus: 1 }, background: true, for: 100_000 })
    bank.pass(1000)
    const effects = bank.feed({ type: 'change', request: 90, holder: 'low', number: 1, amounts: { gpus: 1 } })
    expect(effects).toContainEqual({ type: 'changed', holder: 'low', number: 1, amounts: { gpus: 1 } })
    bank.pass(1000)
    bank.ask('other', 8, { background: true, for: 100_000 })
    bank.pass(GRACE)
    expect(bank.leases.list().map(({ amounts }) => amounts)).toEqual([{ gpus: 1 }, { cpus: 8 }])
    const handle = vi.spyOn(bank.leases, 'handle')
    bank.pass(60_000)
    expect(handle.mock.calls.length).toBeLessThan(3)
  })

  it('end within 31 days, also if they begin later', () => {
    const bank = new Bank()
    expect(bank.ask('a', 1, { from: 1, for: LONGEST })).toMatchObject({ code: 'CAPACITY', message: expect.stringContaining('31 days') })
    expect(bank.ask('a', 1, { from: LONGEST - 1000, background: true, for: 1001 })).toMatchObject({ code: 'CAPACITY' })
    expect(bank.ask('a', 1, { from: LONGEST - 1000, for: 1000 })).toMatchObject({ number: 1, endsIn: LONGEST })
  })

  it('are refused with a message that has room in an answer, however many capacities there are', () => {
    const names = Array.from({ length: 40 }, (_, at) => `gpu${at}.${'x'.repeat(55)}`)
    const bank = new Bank(Object.fromEntries(names.map((name) => [name, 0.1])))
    const many = Object.fromEntries(names.slice(0, 16).map((name) => [name, 1 / 3]))
    for (const amounts of [{ cpus: 1 }, many]) {
      const refusal = bank.ask('a', 0, { amounts })
      expect(v.is(granterMessage, { refused: refusal })).toBe(true)
      expect(refusal).toMatchObject({ message: expect.stringMatching(/gpu0.*, …/u) })
    }
  })

  it('hold no more for one group than this member offers', () => {
    const bank = new Bank()
    const hold = (place: number): LeaseEffect[] => {
      const asked = { group: `g/${place}`, place, holder: 'a', date: 0, amounts: { cpus: 5 }, for: 100 }
      return bank.feed({ type: 'hold', asked, wall: 0 })
    }
    expect(hold(0)).toMatchObject([{ type: 'held', places: 2 }])
    expect(hold(1)).toMatchObject([{ type: 'held' }])
    const message = 'cpus: 15 wanted, 10 offered'
    expect(hold(2)).toEqual([{ type: 'noHold', group: 'g/2', refusal: { code: 'CAPACITY', message } }])
  })

  it('give an older group no hold that it does not need', () => {
    const bank = new Bank({ cpus: 5, gpus: 1 })
    const hold = (group: string, date: number, amounts: Record<string, number>): LeaseEffect[] =>
      bank.feed({ type: 'hold', asked: { group, place: 0, holder: 'a', date, amounts, for: 1e6 }, wall: 0 })
    hold('other', 4, { gpus: 1 })
    hold('youngest', 3, { cpus: 1 })
    hold('young', 2, { cpus: 4 })
    expect(hold('old', 1, { cpus: 4 }).map(({ type, ...rest }) => [type, 'group' in rest && rest.group])).toEqual([
      ['waits', 'young'],
      ['held', 'old'],
    ])
    expect(bank.leases.holds(0).map(({ state }) => state)).toEqual(['held', 'held', 'waiting', 'held'])
  })

  it('yield a hold that its group does not lock for ten seconds to the next group', () => {
    const bank = new Bank()
    for (const [date, group] of ['old', 'young'].entries())
      bank.feed({ type: 'hold', asked: { group, place: 0, holder: 'a', date, amounts: { cpus: 10 }, for: 1e6 }, wall: 0 })
    const states = (): string[] => bank.leases.holds(bank.now).map(({ state }) => state)
    bank.pass(9999)
    expect(states()).toEqual(['held', 'waiting'])
    bank.pass(1)
    expect(states()).toEqual(['waiting', 'held'])
    bank.pass(10_000)
    expect(states()).toEqual(['held', 'waiting'])
  })

  it('put groups in the same order when a history is replayed at another time', () => {
    const hour = 3_600_000
    const hold = (group: string, date: number) =>
      ({ type: 'hold', asked: { group, place: 0, holder: 'a', date, amounts: { cpus: 10 }, for: 100 }, wall: 10 * hour }) as const
    const replay = (today: number): unknown => {
      vi.setSystemTime(today)
      const bank = new Bank()
      bank.feed(hold('b', 10 * hour - 2))
      return [bank.feed(hold('a', 10 * hour - 1)), bank.leases.holds(bank.now)]
    }
    vi.useFakeTimers()
    try {
      // An hour later both dates would count as equally old, and the names would decide.
      expect(replay(12 * hour)).toEqual(replay(10 * hour))
    } finally {
      vi.useRealTimers()
    }
  })

  it('are at most 64 of one holder', () => {
    const bank = new Bank()
    for (let at = 0; at < 64; at++) expect(bank.ask('a', 0.1)).toMatchObject({ number: at + 1 })
    expect(bank.ask('a', 0.1)).toMatchObject({ code: 'TOO_MANY' })
    expect(bank.ask('b', 0.1)).toMatchObject({ number: 65 })
  })
})

it('max-min shares give nobody more than it wants', () => {
  expect(maxMin(10, [2, 8, 10])).toEqual([2, 4, 4])
  expect(maxMin(100, [2, 8])).toEqual([2, 8])
  expect(maxMin(-1, [2])).toEqual([0])
})

it('a fence takes no token that is older than one that it has taken', () => {
  const fence = new Fence()
  const token = (incarnation: number, number: number, member = 'm') => ({ member, incarnation, number })
  expect(fence.admits(token(1, 5))).toBe(true)
  expect(fence.admits(token(1, 5))).toBe(true)
  expect(fence.admits(token(1, 4))).toBe(false)
  expect(fence.admits(token(2, 1))).toBe(true)
  expect(fence.admits(token(1, 9))).toBe(false)
  expect(fence.admits(token(3, 1, 'other'))).toBe(false)
})
