import { VirtualClock } from './virtual-clock.ts'

/**
 * A virtual clock with one source of random numbers. The seed of this source fixes the whole
 * history.
 */
export class SeededClock extends VirtualClock {
  /** Returns a number from 0 on, below 1. */
  readonly random: () => number

  constructor(random: () => number) {
    super()
    this.random = random
  }

  /** Returns a whole number from `from` on, below `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from))
  }
}
