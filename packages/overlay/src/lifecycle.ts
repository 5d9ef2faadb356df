/**
 * The end of an overlay: once, whoever asks for it and why, everything is taken down and `closed` says why.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Closed } from './api.ts'
import { OverlayClosedError } from './base/errors.ts'

/** Between the left-statement and the stop of the host, ms. Guess: a few hops on a busy machine. */
const goodbyeTime = 100

export interface LifecycleOptions {
  readonly pool: string
  /** Says goodbye; true if somebody heard it. */
  readonly sayGoodbye: () => boolean
  /** Takes everything down; `error` is what those get who still wait for something. */
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

  /** Throws {@link OverlayClosedError} once it is ending. */
  checkOpen(): void {
    if (this.#closing ?? this.#leaving) throw this.#leftError()
  }

  /** Does something again and again until the end. */
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
    // Others may be leaving at this moment, too, and know nobody else: their word is passed on for a while.
    if (!this.#closing && this.#options.sayGoodbye()) await delay(goodbyeTime)
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
