/** The two causes of delay: a link of limited bandwidth, and a line with a one-way delay. */

/**
 * Longest time that a packet waits for a narrow link before the link drops it, ms. Home routers
 * have this limit, and so has `tbf` on the laboratory's wire.
 */
const maxQueueing = 500

/** One direction of a link. Packets queue for it in order of arrival. */
export class Pipe {
  readonly #bytesPerMs: number
  #free = 0

  constructor(bitsPerSecond: number) {
    this.#bytesPerMs = bitsPerSecond / 8_000
  }

  /**
   * Returns the time at which the link has taken the last byte of a packet that arrives at `now`;
   * undefined if the queue is full.
   */
  carry(bytes: number, now: number): number | undefined {
    const start = Math.max(now, this.#free)
    if (start - now > maxQueueing) return undefined
    return (this.#free = start + bytes / this.#bytesPerMs)
  }
}

/** An item on its way. */
interface Queued<Item> {
  readonly item: Item
  readonly due: number
}

/** Delivers each item when it is due, but never before an earlier item. */
export class Line<Item> {
  readonly #deliver: (item: Item) => void
  readonly #now: () => number
  #queue: Queued<Item>[] = []
  #last = 0

  constructor(deliver: (item: Item) => void, now: () => number) {
    this.#deliver = deliver
    this.#now = now
  }

  put(item: Item, due: number): void {
    this.#last = Math.max(this.#last, due)
    this.#queue.push({ item, due: this.#last })
    if (this.#queue.length === 1) this.#wait()
  }

  #wait(): void {
    const [first] = this.#queue
    // Timers fire up to a millisecond late. Half a millisecond less makes the average right.
    if (first !== undefined) setTimeout(() => this.#letOut(), Math.max(0, Math.floor(first.due - this.#now() - 0.5)))
  }

  #letOut(): void {
    const now = this.#now() + 0.5
    const stay = this.#queue.findIndex(({ due }) => due > now)
    const out = stay < 0 ? this.#queue : this.#queue.slice(0, stay)
    this.#queue = stay < 0 ? [] : this.#queue.slice(stay)
    for (const { item } of out) this.#deliver(item)
    this.#wait()
  }
}
