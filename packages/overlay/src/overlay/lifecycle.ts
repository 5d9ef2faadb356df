/**
 * The end of an overlay. It happens once, for any reason: this class takes everything down, and
 * `closed` resolves with the reason.
 */
import { longestDeparture } from '@jel/protocol'
import type { Closed } from '../api/port.ts'
import { OverlayClosedError } from '../base/errors.ts'
import { pause } from '../base/timers.ts'

/**
 * Time between the left-statement and the stop of the host, ms. Guess: enough for a few hops on a
 * busy machine.
 */
const goodbyeTime = 100
/** Interval at which a leaver checks whether it may stop, ms. */
const lookAgain = 20

export interface LifecycleOptions {
  readonly pool: string
  /** Announces the leave. Returns true if there is a link to receive it. */
  readonly sayGoodbye: () => boolean
  /** True while some member that stays has not received the announcement. */
  readonly isDeparting: () => boolean
  /** Takes everything down. Pending calls fail with `error`. */
  readonly takeDown: (error: Error) => Promise<void>
}

export class Lifecycle {
  readonly closed: Promise<Closed>
  readonly #options: LifecycleOptions
  readonly #closed = Promise.withResolvers<Closed>()
  readonly #timers: NodeJS.Timeout[] = []
  #closing: Promise<void> | undefined
  #leaving: Promise<void> | undefined

  constructor(options: LifecycleOptions) {
    this.#options = options
    this.closed = this.#closed.promise
  }

  /** Throws {@link OverlayClosedError} once the end has begun. */
  checkOpen(): void {
    if (this.#closing ?? this.#leaving) throw this.#leftError()
  }

  /** Repeats an action until the end. */
  every(interval: number, action: () => void): void {
    this.#timers.push(setInterval(action, interval))
  }

  async leave(): Promise<void> {
    this.#leaving ??= this.#leave()
    await this.#leaving
  }

  async close(closed: Closed): Promise<void> {
    this.#closing ??= this.#takeDown(closed)
    await this.#closing
  }

  async #leave(): Promise<void> {
    // Another member may be leaving at this moment and know only this node. So this node forwards
    // announcements for a while.
    if (!this.#closing && this.#options.sayGoodbye()) {
      const end = performance.now() + longestDeparture
      await pause(goodbyeTime)
      while (this.#options.isDeparting() && performance.now() < end) await pause(lookAgain)
    }
    await this.close({ reason: 'left' })
  }

  async #takeDown(closed: Closed): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    try {
      await this.#options.takeDown(closed.reason === 'failed' ? closed.error : this.#leftError())
    } finally {
      this.#closed.resolve(closed)
    }
  }

  #leftError(): OverlayClosedError {
    return new OverlayClosedError(`this node has left the pool ${JSON.stringify(this.#options.pool)}`)
  }
}
