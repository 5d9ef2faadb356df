import type { Milliseconds } from './sensor.ts'
import type { Value } from '../expression/value.ts'

/** A measured value of an attribute. `seq` counts the values of one series. `at`: Unix ms. */
export interface Sample {
  readonly seq: number
  readonly at: Milliseconds
  readonly value: Value
}

/**
 * A series keeps samples for this time, ms. A guess: a consumer that is away for longer loses
 * samples.
 */
export const KEPT: Milliseconds = 600_000
/** Maximum number of samples of a ring: ten minutes at 10 Hz. */
const MAX_SAMPLES = 6000
/** Maximum length of all texts and lists in a ring, as JSON. A guess. */
const MAX_BYTES = 262_144

/** Replaces a sample that was dropped, so that its value takes no memory. */
const OUT: Sample = { seq: 0, at: 0, value: 0 }

/** The samples of an attribute of the last ten minutes, bounded in number and bytes. */
export class Ring {
  #samples: Sample[] = []
  /** The number of dropped samples at the start of the list. */
  #out = 0
  #bytes = 0

  push(sample: Sample): void {
    this.#samples.push(sample)
    this.#bytes += bytesOf(sample)
    for (let first = this.#samples[this.#out] as Sample; this.#isFull || first.at <= sample.at - KEPT;) {
      this.#bytes -= bytesOf(first)
      this.#samples[this.#out++] = OUT
      first = this.#samples[this.#out] as Sample
    }
    // The list is copied when half of it is dropped, and not for each sample.
    if (2 * this.#out < this.#samples.length) return
    this.#samples = this.#samples.slice(this.#out)
    this.#out = 0
  }

  /** Returns the samples after this number, the oldest first. */
  after(seq: number): readonly Sample[] {
    return this.#samples.slice(this.#out).filter((sample) => sample.seq > seq)
  }

  get #isFull(): boolean {
    return this.#samples.length - this.#out > MAX_SAMPLES || this.#bytes > MAX_BYTES
  }
}

function bytesOf({ value }: Sample): number {
  return typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value).length : 0
}
