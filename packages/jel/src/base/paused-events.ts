import { EventsOverflowError } from '../errors.ts'

/** How many events may wait while events are paused: as many as for a reader of `changes()`. */
const PAUSED_LIMIT = 65_536

/**
 * Holds events back while they are paused (`disableEvents` of the Ibis Portability Layer), then
 * dispatches them in order.
 */
export class EventBuffer {
  readonly #limit: number
  #waiting: (() => void)[] = []
  /** Index of the next event to dispatch. */
  #next = 0
  #isPaused = false
  #isOver = false

  constructor(limit = PAUSED_LIMIT) {
    this.#limit = limit
  }

  pause(): void {
    this.#isPaused = true
  }

  /**
   * Dispatches the waiting events. Throws EventsOverflowError if the buffer has discarded events.
   */
  resume(): void {
    this.#isPaused = false
    if (this.#isOver) {
      this.#isOver = false
      throw new EventsOverflowError(this.#limit)
    }
    // A listener may pause again. Then the other events keep waiting.
    while (!this.#isPaused && this.#next < this.#waiting.length) this.#waiting[this.#next++]?.()
    this.#waiting = this.#waiting.slice(this.#next)
    this.#next = 0
  }

  /** Dispatches an event now, or when events resume. */
  push(dispatch: () => void): void {
    if (!this.#isPaused && this.#waiting.length === 0) dispatch()
    else if (this.#waiting.length - this.#next < this.#limit && !this.#isOver) this.#waiting.push(dispatch)
    else {
      this.#isOver = true
      this.#waiting = []
      this.#next = 0
    }
  }
}
