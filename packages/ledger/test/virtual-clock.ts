import { createRandom } from '@jel/protocol'

/** Time and chance of a history: both follow from its seed. */
export class VirtualClock {
  now = 0
  readonly random: () => number
  readonly #queue: { readonly at: number; readonly run: () => void }[] = []

  constructor(seed: number) {
    this.random = createRandom(seed)
  }

  /** A whole number from `from` on, below `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from))
  }

  after(time: number, run: () => void): void {
    const event = { at: this.now + time, run }
    let [low, high] = [0, this.#queue.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#queue[middle]?.at ?? 0) <= event.at) low = middle + 1
      else high = middle
    }
    this.#queue.splice(low, 0, event)
  }

  /** Runs for this time, or until the condition holds. */
  pass(time: number, until?: () => boolean): boolean {
    const end = this.now + time
    while ((this.#queue[0]?.at ?? Infinity) <= end) {
      const event = this.#queue.shift() as { at: number; run: () => void }
      this.now = event.at
      event.run()
      if (until?.() === true) return true
    }
    this.now = end
    return false
  }
}
