import type { Milliseconds } from '@jel/protocol'

/**
 * Two reservations count as one if the free time between them is shorter than this, ms. So rounding
 * leaves no slivers.
 */
const sliver = 1e-6

/**
 * `Capacity` removes this many past periods at once. To remove each of them alone would be most of
 * the work. A guess.
 */
const forgotten = 64

/**
 * A resource that serves one customer at a time: a cable, a shared link, a processor. It records
 * busy periods instead of queueing events. A customer reserves the next free time and learns at
 * once when the service ends. So a packet costs one event, however many links it crosses.
 * Reservations do not come in order of time: a packet reserves everything at the time of sending,
 * even if it arrives much later. Later customers use the free time between two reservations.
 */
export class Capacity {
  /** Disjoint busy periods in order. The periods before {@link #head} are over. */
  readonly #starts: Milliseconds[] = []
  readonly #ends: Milliseconds[] = []
  #head = 0
  /** The time when the service of the latest reservation begins. */
  started: Milliseconds = 0

  /**
   * Reserves `duration` of free time from `from` on. Returns the end of that time. No later
   * reservation begins before `now`.
   */
  reserve(from: Milliseconds, duration: Milliseconds, now: Milliseconds): Milliseconds {
    const starts = this.#starts
    const ends = this.#ends
    this.#forget(now)
    const head = this.#head
    let at = ends.length
    while (at > head && (starts[at - 1] as Milliseconds) > from) at -= 1
    // `at` is the first period that begins after `from`. The period before may not be over at
    // `from`.
    let start = from
    let first = at
    if (at > head && (ends[at - 1] as Milliseconds) >= from - sliver) {
      first = at - 1
      start = Math.max(from, ends[first] as Milliseconds)
    }
    this.started = start
    let time = start
    let left = duration
    let over: Milliseconds | undefined
    while (at < starts.length && over === undefined) {
      const free = (starts[at] as Milliseconds) - time
      if (left < free - sliver) break
      if (left <= free + sliver) over = time + left
      left = over === undefined ? left - free : 0
      time = ends[at] as Milliseconds
      at += 1
    }
    const end = time + left
    const begin = first < at ? Math.min(starts[first] as Milliseconds, start) : start
    if (first === starts.length) {
      starts.push(begin)
      ends.push(end)
    } else if (at === first + 1) {
      starts[first] = begin
      ends[first] = end
    } else {
      starts.splice(first, at - first, begin)
      ends.splice(first, at - first, end)
    }
    return over ?? end
  }

  /** Returns how long a new customer would have to wait now. */
  backlog(now: Milliseconds): Milliseconds {
    this.#forget(now)
    const start = this.#starts[this.#head]
    return start !== undefined && start <= now ? (this.#ends[this.#head] as Milliseconds) - now : 0
  }

  #forget(now: Milliseconds): void {
    const ends = this.#ends
    let head = this.#head
    while (head < ends.length && (ends[head] as Milliseconds) < now) head += 1
    if (head >= forgotten) {
      this.#starts.splice(0, head)
      ends.splice(0, head)
      head = 0
    }
    this.#head = head
  }
}
