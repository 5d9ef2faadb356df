/**
 * The local health multiplier: how far this node trusts its own time-outs (Lifeguard, DSN'18 §3).
 *
 * A stall of its own process, or helpers that don't answer (Lifeguard's missed nack), make a node stretch its time-outs by one step more; each answer to a
 * probe, and each period without trouble, takes a step back.
 */
import type { Milliseconds } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'

/** A timer this late says that this process stalled, ms. Measured: 20 processes starting on 2 cores are late by 100–300 ms. */
export const stall = 400

/** Upper end of the score; time-outs grow by this plus one. Paper: Lifeguard §3. */
const highest = 8

export class HealthMultiplier implements Timed {
  readonly #context: Context
  /** 0 is well. */
  #score = 0
  #fallsAt = Infinity

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    return this.#fallsAt
  }

  /** What to multiply a time-out by. */
  get value(): number {
    return 1 + this.#score
  }

  /** Something says that this node itself is slow, or cut off. */
  degrade(): void {
    const { now, config } = this.#context
    this.#score = Math.min(highest, this.#score + 1)
    this.#fallsAt = now + config.detection.period
  }

  /** Something went as it should. */
  recover(): void {
    this.#score = Math.max(0, this.#score - 1)
    this.#fallsAt = this.#score === 0 ? Infinity : this.#context.now + this.#context.config.detection.period
  }

  due(): void {
    if (this.#context.now >= this.#fallsAt) this.recover()
  }
}
