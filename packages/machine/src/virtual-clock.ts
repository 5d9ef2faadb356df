import type { Milliseconds } from './machine.ts'
import { EventQueue, type EventHandle } from './event-queue.ts'

/**
 * The most events at one instant. With more events, an action probably reschedules itself without a
 * delay.
 */
const standstill = 5_000_000

/** A virtual clock. Its time stands still during an event, and then jumps to the next event. */
export class VirtualClock {
  readonly #queue = new EventQueue()
  #now: Milliseconds = 0
  #events = 0
  #atThisInstant = 0

  get now(): Milliseconds {
    return this.#now
  }

  /** The number of events so far. */
  get events(): number {
    return this.#events
  }

  get nextTime(): Milliseconds | undefined {
    return this.#queue.nextTime
  }

  /**
   * Runs the action at a time. If the time is past, runs the action now, after the events that are
   * already due.
   */
  at(time: Milliseconds, action: () => void): EventHandle {
    return this.#queue.schedule(Math.max(time, this.#now), action)
  }

  after(delay: Milliseconds, action: () => void): EventHandle {
    return this.at(this.#now + delay, action)
  }

  cancel(handle: EventHandle): boolean {
    return this.#queue.cancel(handle)
  }

  /**
   * Runs the next event if it is due by `until`, otherwise sets the time to `until`. Returns false
   * if no event was due.
   */
  step(until: Milliseconds): boolean {
    const next = this.#queue.nextTime
    if (next === undefined || next > until) {
      this.#now = Math.max(this.#now, until)
      this.#atThisInstant = 0
      return false
    }
    this.#atThisInstant = next > this.#now ? 0 : this.#atThisInstant + 1
    if (this.#atThisInstant > standstill)
      throw new Error(`virtual time stands still at ${this.#now} ms: ${standstill} events and no progress`)
    this.#now = next
    this.#events += 1
    this.#queue.take()?.()
    return true
  }

  /**
   * Runs the events of this duration, or those until the condition holds. Returns true if the
   * condition held after an event.
   */
  pass(duration: Milliseconds, condition?: () => boolean): boolean {
    const until = this.#now + duration
    while (this.step(until)) if (condition?.() === true) return true
    return false
  }
}
