/**
 * Identifies one scheduled event. The handle is unique for 2^29 reuses of its slot. So a second
 * cancel does no harm.
 */
export type EventHandle = number

const places = 2 ** 24
const generations = 2 ** 29

/**
 * Events ordered by time. Events of equal times keep the order of their scheduling.
 *
 * This is a heap over typed arrays with four children per node. It is shallower than a binary heap,
 * and `#heap` has the slots of the four children side by side. An event costs no object beyond its
 * action. Cancelling removes the event at once. This matters because nodes replace most timers
 * before they are due.
 */
export class EventQueue {
  #size = 0
  #sequence = 0
  /** The slots in heap order. */
  #heap = new Int32Array(64)
  /** A slot is the index into the following arrays. */
  #times = new Float64Array(64)
  #sequences = new Float64Array(64)
  #positions = new Int32Array(64)
  #generations = new Int32Array(64)
  #actions: ((() => void) | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#size
  }

  /** The time of the next event, undefined if there is none. */
  get nextTime(): number | undefined {
    return this.#size === 0 ? undefined : this.#times[this.#heap[0] as number]
  }

  schedule(time: number, action: () => void): EventHandle {
    if (Number.isNaN(time)) throw new RangeError('an event needs a time, not NaN')
    const slot = this.#free.pop() ?? this.#newSlot()
    this.#times[slot] = time
    this.#sequences[slot] = this.#sequence++
    this.#actions[slot] = action
    this.#rise(this.#size++, slot)
    return (this.#generations[slot] as number) * places + slot
  }

  /** Returns false if the event has happened, or if an earlier call cancelled it. */
  cancel(handle: EventHandle): boolean {
    const slot = handle % places
    if (this.#actions[slot] === undefined || this.#generations[slot] !== Math.floor(handle / places)) return false
    const position = this.#positions[slot] as number
    this.#release(slot)
    const last = this.#heap[--this.#size] as number
    if (last !== slot) {
      if (position > 0 && this.#before(last, this.#heap[(position - 1) >> 2] as number)) this.#rise(position, last)
      else this.#sink(position, last)
    }
    return true
  }

  /** Removes the next event and returns its action for the caller to run. */
  take(): (() => void) | undefined {
    if (this.#size === 0) return undefined
    const slot = this.#heap[0] as number
    const action = this.#actions[slot]
    this.#release(slot)
    const last = this.#heap[--this.#size] as number
    if (this.#size > 0) this.#sink(0, last)
    return action
  }

  #before(a: number, b: number): boolean {
    const timeA = this.#times[a] as number
    const timeB = this.#times[b] as number
    return timeA < timeB || (timeA === timeB && (this.#sequences[a] as number) < (this.#sequences[b] as number))
  }

  #rise(from: number, slot: number): void {
    let position = from
    while (position > 0) {
      const parent = (position - 1) >> 2
      const above = this.#heap[parent] as number
      if (!this.#before(slot, above)) break
      this.#place(position, above)
      position = parent
    }
    this.#place(position, slot)
  }

  #sink(from: number, slot: number): void {
    let position = from
    for (;;) {
      const first = position * 4 + 1
      if (first >= this.#size) break
      let best = first
      const end = Math.min(first + 4, this.#size)
      for (let child = first + 1; child < end; child++) {
        if (this.#before(this.#heap[child] as number, this.#heap[best] as number)) best = child
      }
      const below = this.#heap[best] as number
      if (!this.#before(below, slot)) break
      this.#place(position, below)
      position = best
    }
    this.#place(position, slot)
  }

  #place(position: number, slot: number): void {
    this.#heap[position] = slot
    this.#positions[slot] = position
  }

  #release(slot: number): void {
    this.#actions[slot] = undefined
    this.#generations[slot] = ((this.#generations[slot] as number) + 1) % generations
    this.#free.push(slot)
  }

  #newSlot(): number {
    const slot = this.#actions.length
    if (slot >= places) throw new RangeError(`more than ${places} events are waiting`)
    this.#actions.push(undefined)
    if (slot >= this.#heap.length) {
      this.#heap = grow(this.#heap, Int32Array)
      this.#times = grow(this.#times, Float64Array)
      this.#sequences = grow(this.#sequences, Float64Array)
      this.#positions = grow(this.#positions, Int32Array)
      this.#generations = grow(this.#generations, Int32Array)
    }
    return slot
  }
}

function grow<A extends Int32Array | Float64Array>(old: A, make: new (length: number) => A): A {
  const larger = new make(old.length * 2)
  larger.set(old)
  return larger
}
