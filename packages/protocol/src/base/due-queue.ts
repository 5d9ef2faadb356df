/** A binary heap of things that each have one due time. The time of an entry may change. */
import type { Milliseconds } from './values.ts'

interface Entry<Value> {
  readonly value: Value
  at: Milliseconds
  place: number
}

export class DueQueue<Value> {
  readonly #heap: Entry<Value>[] = []
  readonly #entries = new Map<Value, Entry<Value>>()

  /** The earliest due time; Infinity if there is no entry. */
  get nextDue(): Milliseconds {
    return this.#heap[0]?.at ?? Infinity
  }

  get size(): number {
    return this.#heap.length
  }

  /** Sets the due time of a thing. Infinity removes the thing. */
  set(value: Value, at: Milliseconds): void {
    const entry = this.#entries.get(value)
    if (at === Infinity) this.delete(value)
    else if (entry === undefined) {
      const added = { value, at, place: this.#heap.length }
      this.#entries.set(value, added)
      this.#heap.push(added)
      this.#rise(added)
    } else if (at !== entry.at) {
      entry.at = at
      this.#rise(entry)
      this.#sink(entry)
    }
  }

  delete(value: Value): void {
    const entry = this.#entries.get(value)
    if (entry === undefined) return
    this.#entries.delete(value)
    const last = this.#heap.pop() as Entry<Value>
    if (last === entry) return
    this.#put(last, entry.place)
    this.#rise(last)
    this.#sink(last)
  }

  /** Returns all things that are due by then, in no order. They stay in the queue. */
  dueBy(now: Milliseconds): Value[] {
    const due: Value[] = []
    const look = (place: number): void => {
      const entry = this.#heap[place]
      if (entry === undefined || entry.at > now) return
      due.push(entry.value)
      look(2 * place + 1)
      look(2 * place + 2)
    }
    look(0)
    return due
  }

  clear(): void {
    this.#heap.length = 0
    this.#entries.clear()
  }

  #rise(entry: Entry<Value>): void {
    while (entry.place > 0) {
      const above = this.#heap[(entry.place - 1) >> 1] as Entry<Value>
      if (above.at <= entry.at) return
      this.#swap(entry, above)
    }
  }

  #sink(entry: Entry<Value>): void {
    for (;;) {
      const [left, right] = [this.#heap[2 * entry.place + 1], this.#heap[2 * entry.place + 2]]
      const below = right !== undefined && left !== undefined && right.at < left.at ? right : left
      if (below === undefined || below.at >= entry.at) return
      this.#swap(entry, below)
    }
  }

  #swap(a: Entry<Value>, b: Entry<Value>): void {
    const { place } = a
    this.#put(a, b.place)
    this.#put(b, place)
  }

  #put(entry: Entry<Value>, place: number): void {
    entry.place = place
    this.#heap[place] = entry
  }
}
