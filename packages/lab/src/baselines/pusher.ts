import type { Milliseconds } from '@jel/protocol'
import type { EventHandle } from '@jel/machine'
import type { PoolEvent } from './event-stream.ts'

export interface PusherOptions {
  /** Maximum number of connections at once. */
  readonly threads: number
  /** Time after which the next round begins at the latest. */
  readonly interval: Milliseconds
  /** True if a new event begins the next round. */
  readonly triggered: boolean
  targets(): readonly PoolEvent[]
  /** The number of the next event. */
  time(): number
  push(target: PoolEvent, done: () => void): void
}

interface Clock {
  after(delay: Milliseconds, action: () => void): EventHandle
  cancel(handle: EventHandle): void
}

/**
 * Goes through all targets in rounds, with a few connections at once. The server and the inner
 * nodes of the tree send events in this way (§5.1.1).
 */
export class Pusher {
  readonly #clock: Clock
  readonly #options: PusherOptions
  #wait: EventHandle | undefined
  #pushed = 0
  #stopped = false

  constructor(clock: Clock, options: PusherOptions) {
    this.#clock = clock
    this.#options = options
  }

  start(): void {
    this.#round()
  }

  stop(): void {
    this.#stopped = true
  }

  /** Call it when there may be a new event. */
  notice(): void {
    if (!this.#options.triggered || this.#wait === undefined || this.#options.time() <= this.#pushed) return
    this.#clock.cancel(this.#wait)
    this.#round()
  }

  #round(): void {
    this.#wait = undefined
    if (this.#stopped) return
    this.#pushed = this.#options.time()
    const targets = this.#options.targets()
    let next = 0
    let running = 1
    const step = (): void => {
      running -= 1
      while (next < targets.length && running < this.#options.threads) {
        running += 1
        this.#options.push(targets[next++] as PoolEvent, step)
      }
      if (running === 0) this.#rest()
    }
    step()
  }

  #rest(): void {
    const { interval, triggered } = this.#options
    const delay = triggered && this.#options.time() > this.#pushed ? 0 : interval
    this.#wait = this.#clock.after(delay, () => this.#round())
  }
}
