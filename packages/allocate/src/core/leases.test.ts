import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fence } from './fence.ts'
import { GRACE, Leases, type Granted, type LeaseEffect, type LeaseRequest, type Refusal } from './leases.ts'
import { maxMin } from './max-min.ts'

/** A granter on a virtual clock, with the view of its holders. */
class Bank {
  now = 0
  readonly leases = new Leases()
  readonly effects: LeaseEffect[] = []
  /**
   * The amounts that holders may use, as they know them; a smaller background share counts after
   * the time of grace.
   */
  readonly #wakes: number[] = []
  #request = 0

  constructor(totals: Readonly<Record<string, number>> = { cpus: 10 }) {
    for (const [name, total] of Object.entries(totals)) this.leases.offer(name, total, 0)
  }

  feed(input: Parameters<Leases['handle']>[0]): LeaseEffect[] {
    const effects: LeaseEffect[] = []
    for (const effect of this.leases.handle(input, this.now)) {
      if (effect.type === 'timer') this.#wakes.push(effect.at)
      else effects.push(effect)
    }
    this.effects.push(...effects)
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
        /** The last announced amount of each lease, and the time from which a smaller one holds. */
        const check = (): void => {
          const foreground = bank.leases.list().filter((each) => !each.background)
          const background = bank.leases.list().filter((each) => each.background)
          // The announced shares must fit beside all that begins within the time of grace.
          for (let at = bank.now; at <= bank.now + GRACE; at += 50) {
            const used = foreground.reduce((sum, { reservation, former }) => {
              const now = [former, reservation].find((each) => each !== undefined && each.start <= at && at < each.end)
              return sum + (now?.amounts['cpus'] ?? 0)
            }, 0)
            const shared = background.reduce((sum, { amounts }) => sum + (amounts['cpus'] ?? 0), 0)
            expect(used).toBeLessThanOrEqual(10)
            if (at >= bank.now + GRACE) expect(used + shared).toBeLessThanOrEqual(10 + 1e-6)
          }
        }
        for (const [request, each] of steps.entries()) {
          if (each.do === 'pass') bank.pass(each.time)
          else if (each.do === 'ask') bank.ask('a', each.cpus, each)
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
