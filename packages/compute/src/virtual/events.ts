/**
 * A binary heap of planned events, ordered by time, then by the order in which they were planned.
 */
export class Events {
  readonly #heap: { readonly time: number; readonly order: number; readonly action: () => void }[] = []
  #order = 0
  now = 0

  at(time: number, action: () => void): void {
    const heap = this.#heap
    const event = { time: Math.max(time, this.now), order: this.#order++, action }
    let place = heap.push(event) - 1
    while (place > 0) {
      const above = (place - 1) >> 1
      if (!before(event, heap[above] as typeof event)) break
      heap[place] = heap[above] as typeof event
      place = above
    }
    heap[place] = event
  }

  /** Runs the next event; false if there is none. */
  step(): boolean {
    const heap = this.#heap
    const first = heap[0]
    if (first === undefined) return false
    const last = heap.pop() as typeof first
    if (heap.length > 0) {
      let place = 0
      for (;;) {
        let below = 2 * place + 1
        if (below >= heap.length) break
        if (below + 1 < heap.length && before(heap[below + 1] as typeof first, heap[below] as typeof first)) below++
        if (!before(heap[below] as typeof first, last)) break
        heap[place] = heap[below] as typeof first
        place = below
      }
      heap[place] = last
    }
    this.now = first.time
    first.action()
    return true
  }
}

function before(a: { time: number; order: number }, b: { time: number; order: number }): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order)
}
