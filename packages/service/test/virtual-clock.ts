import { createRandom } from '@jel/protocol'

interface Event {
  readonly at: number
  readonly run: () => void
}

/** A virtual clock, with events in the order of their times, and one source of random numbers. */
export class VirtualClock {
  now = 0
  readonly random: () => number
  readonly #events: Event[] = []

  constructor(seed: number) {
    this.random = createRandom(seed)
  }

  /** A whole number from `from` on, below `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from))
  }

  after(time: number, run: () => void): void {
    const event = { at: this.now + time, run }
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle] as Event).at <= event.at) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
  }

  /** Runs for this time, or until the condition holds. */
  pass(time: number, until?: () => boolean): void {
    const end = this.now + time
    while (this.#events.length > 0 && (this.#events[0] as Event).at <= end) {
      const event = this.#events.shift() as Event
      this.now = event.at
      event.run()
      if (until?.() === true) return
    }
    this.now = end
  }
}
