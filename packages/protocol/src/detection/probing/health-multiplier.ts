/**
 * The local health multiplier: a factor on this node's own time-outs (Lifeguard, DSN'18 §3).
 *
 * A stall of this process raises the factor by one step. So does a round of indirect probes that no
 * helper answers (Lifeguard's missed nack). Each answer to a probe, and each period without
 * trouble, lowers the factor by one step.
 */
import type { Context } from '../../context/context.ts'

/**
 * A timer that is late by this time shows that this process stalled, ms. Measured: timers of 20
 * processes that start on 2 cores are late by 100–300 ms.
 */
export const stall = 400

/** Highest score. The factor is the score plus one. Paper: Lifeguard §3. */
const highest = 8

export class HealthMultiplier {
  readonly #context: Context
  /** 0 is healthy. */
  #score = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** The factor on a time-out. */
  get value(): number {
    return 1 + this.#score
  }

  /** Takes in a sign that this node itself is slow, or cut off. */
  degrade(): void {
    const { now, config, timers } = this.#context
    this.#score = Math.min(highest, this.#score + 1)
    timers.set('health', now + config.detection.period)
  }

  /** Takes in a sign that all is well. Call this when the timer fires, too. */
  recover(): void {
    const { now, config, timers } = this.#context
    this.#score = Math.max(0, this.#score - 1)
    timers.set('health', this.#score === 0 ? Infinity : now + config.detection.period)
  }
}
