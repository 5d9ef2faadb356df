import type { Milliseconds } from '../core/io.ts'

/**
 * Characters that a program may print at once, and in a second after that. Guesses: the log of a
 * job keeps 64 KiB, and nobody reads faster.
 */
export const [OUTPUT_BURST, OUTPUT_RATE] = [65_536, 16_384]
/** A limit lets text pass again once this share of the burst is free. A guess. */
const REOPEN = 0.25

/**
 * Bounds the text that a program prints, by a token bucket. Leaves out text above the limit, and
 * says so in the output. So no program waits.
 */
export class OutputLimit {
  /** Characters a second after the burst. */
  rate: number
  readonly #burst: number
  #left: number
  #at: Milliseconds
  #omitted = 0
  #isShut = false

  /**
   * @param burst characters at once
   * @param rate characters a second after that
   */
  constructor(burst: number, rate: number, now: Milliseconds) {
    this.#burst = burst
    this.rate = rate
    this.#left = burst
    this.#at = now
  }

  /** Returns the part of a text that may pass. Notes in brackets say what is left out. */
  pass(text: string, now: Milliseconds): string {
    this.#left = Math.min(this.#burst, this.#left + ((now - this.#at) * this.rate) / 1000)
    this.#at = now
    if (this.#isShut && this.#left < this.#burst * REOPEN) {
      this.#omitted += text.length
      return ''
    }
    const note = this.#isShut ? `[${this.#omitted} characters were left out]\n` : ''
    const passed = text.slice(0, this.#left)
    this.#left -= passed.length
    this.#omitted = text.length - passed.length
    this.#isShut = this.#omitted > 0
    return this.#isShut ? `${note}${passed}\n[more output is left out]\n` : note + passed
  }
}
