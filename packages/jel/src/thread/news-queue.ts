import type { OverlayNotification } from '@jel/overlay'

export interface NewsQueueEvents {
  /** Sends news in order. At most `limit` of them are unacknowledged. */
  readonly send: (news: readonly OverlayNotification[]) => void
  /** Called when all sent news were taken, if `lost` news were dropped before. */
  readonly gap: (lost: number) => void
}

/**
 * News on their way to the application's thread. The application may block that thread, so the
 * number of waiting news is bounded. Beyond the limit news are dropped until all sent news are
 * taken. Then the gap is reported, with the state after it.
 */
export class NewsQueue {
  readonly #events: NewsQueueEvents
  readonly #limit: number
  #batch: OverlayNotification[] = []
  /** News that are sent or about to be sent, and not yet taken. */
  #waiting = 0
  #lost = 0

  constructor(limit: number, events: NewsQueueEvents) {
    this.#limit = limit
    this.#events = events
  }

  /** The other side has taken all news, so it is not blocked. */
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
    // All news of one input go in one message.
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
