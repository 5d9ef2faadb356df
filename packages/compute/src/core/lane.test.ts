import { createRandom } from '@jel/protocol'
import { expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect, Input } from './io.ts'
import { Scheduler } from './scheduler.ts'

/** A member without tasks. All others refuse its requests 20 ms later. */
class Thief {
  readonly #scheduler = new Scheduler({ self: { id: 'self', location: 'self@self' }, workers: 1, random: createRandom(1) })
  readonly asked: { readonly at: number; readonly victim: string }[] = []
  readonly #answers: { readonly at: number; readonly from: string; readonly request: number }[] = []
  #timer = Infinity
  #now = 0

  constructor(others: number) {
    for (let at = 0; at < others; at++) this.#feed({ type: 'joined', member: { id: `m${at}`, location: `m${at}@m${at}` } })
    this.#feed({ type: 'job', spec: jobSpec('job') })
  }

  /** A further job comes, which ends all pauses. */
  hears(job: string): void {
    this.#feed({ type: 'job', spec: jobSpec(job) })
  }

  runUntil(end: number): void {
    for (;;) {
      const next = Math.min(this.#timer, this.#answers[0]?.at ?? Infinity)
      if (next > end) return
      this.#now = next
      const answer = next === this.#timer ? undefined : this.#answers.shift()
      if (answer === undefined) {
        this.#timer = Infinity
        this.#feed({ type: 'timer' })
      } else {
        const { from, request } = answer
        this.#feed({ type: 'message', from, message: { type: 'work', request, tasks: [], left: 0, ended: [] } })
      }
    }
  }

  /** Returns the number of different members that it asked in this span. */
  victimsBetween(from: number, to: number): number {
    return new Set(this.asked.filter(({ at }) => at >= from && at < to).map(({ victim }) => victim)).size
  }

  #feed(input: Input): void {
    for (const effect of this.#scheduler.handle(input, this.#now)) this.#carryOut(effect)
  }

  #carryOut(effect: Effect): void {
    if (effect.type === 'timer') this.#timer = effect.at
    if (effect.type !== 'send' || effect.message.type !== 'steal') return
    this.asked.push({ at: this.#now, victim: effect.to })
    this.#answers.push({ at: this.#now + 20, from: effect.to, request: effect.message.request })
  }
}

it('a member without tasks soon asks members that were no victims, and later asks few more', () => {
  const thief = new Thief(64)
  thief.runUntil(60_000)
  expect(thief.victimsBetween(0, 3000)).toBeGreaterThanOrEqual(12)
  expect(thief.asked.length).toBeGreaterThan(100)
  expect(thief.victimsBetween(3000, 60_000)).toBeLessThan(8 + (60 * 2) / 8 + 8)
})

it('a member without tasks opens no more streams because jobs come and go', () => {
  const thief = new Thief(1000)
  for (let second = 0; second < 60; second++) {
    thief.hears(`job of second ${second}`)
    thief.runUntil(second * 1000)
  }
  const victims = thief.victimsBetween(0, 60_000)
  // The first victims, those of the second round, and one for each further round.
  expect(victims).toBeLessThanOrEqual(8 + 8 + thief.asked.length / 8)
  expect(victims).toBeGreaterThan(16)
})
