import { within } from '../base/wait.ts'

/** Asks whether all `observers` have seen the event `type` of all `subjects`. */
export interface Question {
  readonly observers: readonly string[]
  readonly type: string
  readonly subjects: readonly string[]
}

/**
 * For each observer, the time at which it had seen all these events; Infinity if it did not see all
 * of them in time.
 */
export type Answer = ReadonlyMap<string, number>

interface Waiter {
  readonly missing: Set<string>
  readonly done: () => void
}

/**
 * Records the events that each observer sees, with their subjects and times. A subject is the id of
 * a node, in any of its incarnations.
 */
export class Sightings {
  readonly #times = new Map<string, number>()
  readonly #waiters = new Set<Waiter>()
  /**
   * Number of events that an observer saw more than once for the same subject. There must be none.
   */
  repeats = 0

  record(observer: string, type: string, subject: string, time: number): void {
    const key = `${observer} ${type} ${subject}`
    if (this.#times.has(key)) {
      this.repeats++
      return
    }
    this.#times.set(key, time)
    for (const waiter of this.#waiters) {
      if (waiter.missing.delete(key) && waiter.missing.size === 0) waiter.done()
    }
  }

  /**
   * Waits until the observers have seen all these events, for at most `timeout` ms. Observers don't
   * need to see themselves.
   */
  async until(question: Question, timeout: number): Promise<Answer> {
    const keys = question.observers.flatMap((observer) =>
      question.subjects.filter((subject) => subject !== observer).map((subject) => `${observer} ${question.type} ${subject}`),
    )
    const missing = new Set(keys.filter((key) => !this.#times.has(key)))
    if (missing.size > 0) await this.#wait(missing, timeout)
    return new Map(
      question.observers.map((observer) => {
        const times = question.subjects
          .filter((subject) => subject !== observer)
          .map((subject) => this.#times.get(`${observer} ${question.type} ${subject}`) ?? Infinity)
        return [observer, Math.max(...times)]
      }),
    )
  }

  /** Returns the times at which other observers saw this event about the subject. */
  timesOf(type: string, subject: string): number[] {
    const end = ` ${type} ${subject}`
    return [...this.#times].filter(([key]) => key.endsWith(end) && !key.startsWith(subject)).map(([, time]) => time)
  }

  /** Returns the number of sightings of this event whose subject is not one of `expected`. */
  unexpected(type: string, expected: ReadonlySet<string>): number {
    let count = 0
    for (const key of this.#times.keys()) {
      const [, seen, subject] = key.split(' ')
      if (seen === type && subject !== undefined && !expected.has(subject)) count++
    }
    return count
  }

  async #wait(missing: Set<string>, timeout: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter: Waiter = { missing, done: resolve }
    this.#waiters.add(waiter)
    await within(timeout, 'sightings', promise).catch(() => {})
    this.#waiters.delete(waiter)
  }
}
