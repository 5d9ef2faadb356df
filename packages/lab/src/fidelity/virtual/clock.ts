/**
 * Virtual time for a whole process of real hosts: timers, clocks and random numbers of all modules
 * that are imported later. One seed gives one history, as long as nothing waits for the outside
 * world.
 */
import { syncBuiltinESMExports } from 'node:module'
import { createRandom } from '@jel/protocol'
import { install, type Clock } from '@sinonjs/fake-timers'

/** Any time but 0, so that no code takes a time for a missing one. */
const beginning = 1_800_000_000_000

export class VirtualTime {
  readonly random: () => number
  readonly #clock: Clock

  constructor(seed: number) {
    this.random = createRandom(seed)
    this.#clock = install({
      now: beginning,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance', 'hrtime'],
    })
    // Makes names imported from node:timers and node:timers/promises follow as well.
    syncBuiltinESMExports()
    Math.random = createRandom(seed + 1)
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms)
      return controller.signal
    }
  }

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#clock.now - beginning
  }

  /** Calls `action` later, after whole milliseconds. */
  after(ms: number, action: () => void): void {
    setTimeout(action, ms)
  }

  /**
   * Lets virtual time pass timer by timer, and after each timer runs all its consequences that need
   * no timer.
   */
  async pass(ms: number): Promise<void> {
    let over = false
    setTimeout(() => {
      over = true
    }, ms)
    await this.until(() => over)
  }

  async until(condition: () => boolean): Promise<void> {
    for (;;) {
      await settled()
      if (condition()) return
      if (this.#clock.countTimers() === 0) throw new Error('virtual time stands still: nobody waits for anything')
      this.#clock.next()
    }
  }
}

/**
 * Waits for all promises, ticks and immediates: one turn of the event loop, and another for the
 * work that immediates began.
 */
async function settled(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
}
