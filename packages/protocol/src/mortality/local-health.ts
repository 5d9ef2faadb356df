/**
 * Local health: how far this node trusts its own time-outs (Lifeguard, DSN'18 §3).
 *
 * Each stall of its process makes it stretch them by one step more; each answer to a probe, and each period without a stall, takes a step back.
 */
import type { Milliseconds } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'

export class LocalHealth implements Timed {
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
  get stretch(): number {
    return 1 + this.#score
  }

  /** This process did nothing for a while. */
  stalled(): void {
    const { now, config } = this.#context
    this.#score = Math.min(config.detection.healthMax, this.#score + 1)
    this.#fallsAt = now + config.detection.period
  }

  /** Something went as it should. */
  relax(): void {
    this.#score = Math.max(0, this.#score - 1)
    this.#fallsAt = this.#score === 0 ? Infinity : this.#context.now + this.#context.config.detection.period
  }

  due(): void {
    if (this.#context.now >= this.#fallsAt) this.relax()
  }
}
