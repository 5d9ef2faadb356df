import { KEPT, Ring, type Sample } from './ring.ts'
import type { Milliseconds } from './sensor.ts'
import type { ServedWatch } from './served-watch.ts'
import type { Value } from '../expression/value.ts'

/** The samples of an attribute that is watched now, or was watched in the last ten minutes. */
export class Series {
  /** Names the series. */
  readonly id: number
  readonly watchers = new Set<ServedWatch>()
  /** The time of the next sample. If nobody watches: the time at which the series ends. */
  dueAt: Milliseconds
  isMeasuring = false
  readonly #ring = new Ring()
  /** The number of the last sample. */
  #seq = 0
  /** The time at which the last watch ended. */
  #leftAt: Milliseconds = 0

  constructor(id: number, now: Milliseconds) {
    this.id = id
    this.dueAt = now
  }

  /** The time between two samples: the shortest one that a watch wants. */
  get every(): Milliseconds {
    let every = Infinity
    for (const { spec } of this.watchers) every = Math.min(every, spec.every)
    return every
  }

  /** Begins to measure for a watch, at once. */
  add(watch: ServedWatch, now: Milliseconds): void {
    // The numbers skip the samples that were not taken while nobody watched. So the consumer sees a
    // gap.
    if (this.watchers.size === 0 && this.#seq > 0) this.#seq += Math.round((now - this.#leftAt) / watch.spec.every)
    this.watchers.add(watch)
    this.dueAt = Math.min(this.dueAt, now)
  }

  /**
   * Removes a watch. Returns whether the series has no watch and no sample, so that it can be
   * removed.
   */
  remove(watch: ServedWatch, now: Milliseconds): boolean {
    this.watchers.delete(watch)
    if (this.watchers.size > 0) return false
    this.#leftAt = now
    this.dueAt = now + KEPT
    return this.#seq === 0
  }

  /** @param origin the Unix time at which `now` is 0, ms */
  measured(value: Value, now: Milliseconds, origin: Milliseconds): Sample {
    this.isMeasuring = false
    const sample = { seq: ++this.#seq, at: Math.round(origin + now), value }
    this.#ring.push(sample)
    return sample
  }

  /**
   * Returns the samples after this number, in order. A number in the list is a number of samples
   * that are missing at this position.
   */
  after(seq: number): readonly (Sample | number)[] {
    const parts: (Sample | number)[] = []
    let last = seq
    for (const sample of this.#ring.after(seq)) {
      if (sample.seq > last + 1) parts.push(sample.seq - last - 1)
      parts.push(sample)
      last = sample.seq
    }
    if (this.#seq > last) parts.push(this.#seq - last)
    return parts
  }
}
