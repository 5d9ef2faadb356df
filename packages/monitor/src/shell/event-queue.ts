/** Maximum number of events that wait for a slow reader. A guess: an event has at most 1.2 KB. */
const MAX_WAITING = 4096

/** Events for one reader. If too many events wait, the oldest ones are dropped. */
export class EventQueue<Event> implements AsyncIterable<Event> {
  #events: Event[] = []
  #lost = 0
  #hasEnded = false
  #wake: (() => void) | undefined

  /** The number of dropped events. */
  get lost(): number {
    return this.#lost
  }

  push(event: Event): void {
    if (this.#hasEnded) return
    if (this.#events.length >= MAX_WAITING) {
      this.#events.shift()
      this.#lost++
    }
    this.#events.push(event)
    this.#wake?.()
  }

  end(): void {
    this.#hasEnded = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (;;) {
      const events = this.#events
      this.#events = []
      yield* events
      if (this.#events.length > 0) continue
      if (this.#hasEnded) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
    }
  }
}
