import type { OverlayNotification } from '@jel/overlay'

export interface NewsQueueEvents {
  /** Sends news items in order. At most `limit` items are unacknowledged. */
  readonly send: (news: readonly OverlayNotification[]) => void
  /**
   * Called once the other side has taken all sent news, if the queue dropped `lost` items before.
   */
  readonly gap: (lost: number) => void
}

/**
 * News on their way to the application's thread. The application may block that thread, so the
 * queue bounds the number of waiting items. Beyond the limit it drops items until the application
 * has taken all sent items. Then it reports the gap. The report has the state after the gap.
 */
export class NewsQueue {
  readonly #events: NewsQueueEvents
  readonly #limit: number
  #batch: OverlayNotification[] = []
  /** The number of items that are sent or about to be sent, and not yet taken. */
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
    // All news items of one input go in one message.
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
