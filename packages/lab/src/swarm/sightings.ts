import { within } from '../base/wait.ts'

/** A question to the record: whether all `observers` have seen `type` happen to all `subjects`. */
export interface Question {
  readonly observers: readonly string[]
  readonly type: string
  readonly subjects: readonly string[]
}

/**
 * For each observer the time at which it had seen all of it; Infinity where that did not happen in
 * time.
 */
export type Answer = ReadonlyMap<string, number>

interface Waiter {
  readonly missing: Set<string>
  readonly done: () => void
}

/** Records each observer's events, their subjects and times. A subject is one life of a node. */
export class Sightings {
  readonly #times = new Map<string, number>()
  readonly #waiters = new Set<Waiter>()
  /** Notifications that came a second time for the same life, which must never be. */
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
   * Waits until all of it has happened, at most for `timeout` milliseconds. Observers don't need to
   * see themselves.
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

  /** When each other observer saw this event about a subject. */
  timesOf(type: string, subject: string): number[] {
    const end = ` ${type} ${subject}`
    return [...this.#times].filter(([key]) => key.endsWith(end) && !key.startsWith(subject)).map(([, time]) => time)
  }

  /** Number of sightings of this type whose subject is not one of `expected`. */
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
