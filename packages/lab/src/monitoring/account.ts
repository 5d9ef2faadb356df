/** Counts the samples of a watch by their numbers, so that none is missed or counted twice. */
import type { MemberEvent, WatchEvent } from '@jel/monitor'

/** The samples since the last mark. */
export interface Counts {
  readonly samples: number
  /** Samples that the producer said it did not send. */
  readonly lost: number
  /** Numbers that did not come, between the first and the last sample of an attribute. */
  readonly missing: number
  /** Samples that came twice, or after a later one. */
  readonly repeated: number
  /** Samples that came late, and said so. */
  readonly late: number
  readonly gaps: number
  /** The longest time without a sample, ms. */
  readonly silence: number
  /** When the watch learned that its member has ended, Unix ms; 0: it has not. */
  readonly endedAt: number
}

interface Numbers {
  first: number
  last: number
  count: number
}

const NOTHING = { samples: 0, lost: 0, repeated: 0, late: 0, gaps: 0, silence: 0, endedAt: 0 }

export class Account {
  /** For each attribute. */
  readonly #numbers = new Map<string, Numbers>()
  #lastAt = Date.now()
  #counts = { ...NOTHING }

  take(event: WatchEvent | MemberEvent): void {
    const counts = this.#counts
    if (event.type === 'lost') counts.lost += event.count
    else if (event.type === 'gap') counts.gaps++
    else if (event.type === 'ended') counts.endedAt = Date.now()
    if (event.type !== 'sample') return
    const { name, seq, replayed } = event
    const numbers = this.#numbers.get(name) ?? { first: seq, last: seq - 1, count: 0 }
    this.#numbers.set(name, numbers)
    counts.silence = Math.max(counts.silence, Date.now() - this.#lastAt)
    this.#lastAt = Date.now()
    counts.samples++
    counts.late += Number(replayed)
    if (seq <= numbers.last) {
      counts.repeated++
      return
    }
    numbers.last = seq
    numbers.count++
  }

  /**
   * Begins to count. The numbers go on: the next expected number of each attribute is its last
   * number plus one.
   */
  mark(): void {
    this.#counts = { ...NOTHING }
    for (const numbers of this.#numbers.values()) {
      numbers.first = numbers.last + 1
      numbers.count = 0
    }
  }

  get counts(): Counts {
    let missing = 0
    for (const { first, last, count } of this.#numbers.values()) missing += last - first + 1 - count
    return { ...this.#counts, missing }
  }
}
