import type { OverlayNotification } from '@jel/overlay'

export interface OutboxEvents {
  /** In order, and at most `limit` that were not taken. */
  readonly send: (news: readonly OverlayNotification[]) => void
  /** Everything sent was taken, after `lost` were dropped. */
  readonly gap: (lost: number) => void
}

/**
 * News on their way to the application's thread. What waits there while the application blocks it is bounded: beyond the limit news are
 * dropped until all that were sent are taken, then the gap is told, with how things stand after it.
 */
export class Outbox {
  readonly #events: OutboxEvents
  readonly #limit: number
  #batch: OverlayNotification[] = []
  /** Sent or about to be, and not taken. */
  #waiting = 0
  #lost = 0

  constructor(limit: number, events: OutboxEvents) {
    this.#limit = limit
    this.#events = events
  }

  /** Nobody keeps the other side from taking what it is sent. */
  get idle(): boolean {
    return this.#waiting === 0
  }

  add(news: OverlayNotification): void {
    if (this.#lost > 0 || this.#waiting >= this.#limit) {
      this.#lost += 1
      return
    }
    this.#waiting += 1
    this.#batch.push(news)
    // What one input brings goes in one message.
    if (this.#batch.length === 1) queueMicrotask(() => this.flush())
  }

  flush(): void {
    if (this.#batch.length === 0) return
    this.#events.send(this.#batch)
    this.#batch = []
  }

  taken(count: number): void {
    this.#waiting -= count
    if (this.#lost === 0 || this.#waiting > 0) return
    const lost = this.#lost
    this.#lost = 0
    this.#events.gap(lost)
  }
}
