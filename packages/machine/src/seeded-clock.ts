import { VirtualClock } from './virtual-clock.ts'

/** A virtual clock with one source of random numbers. A history follows from the seed of both. */
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
