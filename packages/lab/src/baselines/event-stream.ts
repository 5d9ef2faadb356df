import type { Member, Notification } from '@jel/protocol'

/** One change of the pool, with a number from the server. All nodes share the object. */
export class PoolEvent {
  /** The number of the event, from 0: the paper's sequence number, the original's event time. */
  readonly time: number
  readonly type: 'joined' | 'left' | 'died'
  readonly member: Member
  /** The join of the same member; for a `joined` event, the event itself. */
  readonly join: PoolEvent
  readonly notification: Notification

  constructor(time: number, type: 'joined', member: Member)
  constructor(time: number, type: 'left' | 'died', member: Member, join: PoolEvent)
  constructor(time: number, type: 'joined' | 'left' | 'died', member: Member, join?: PoolEvent) {
    this.time = time
    this.type = type
    this.member = member
    this.join = join ?? this
    this.notification = { type, member }
  }
}

/**
 * The events that a node holds, in order from the first kept event, with gaps for missing events.
 */
export class EventStream {
  #first: number
  readonly #events: (PoolEvent | undefined)[] = []
  #next: number

  constructor(first = 0) {
    this.#first = first
    this.#next = first
  }

  /** The number of the first event that is missing. */
  get next(): number {
    return this.#next
  }

  at(time: number): PoolEvent | undefined {
    return this.#events[time - this.#first]
  }

  add(event: PoolEvent): void {
    const place = event.time - this.#first
    if (place < 0) return
    while (this.#events.length < place) this.#events.push(undefined)
    this.#events[place] ??= event
    while (this.#events[this.#next - this.#first] !== undefined) this.#next += 1
  }

  /** Returns the events from `time` on, up to the first gap. */
  from(time: number): readonly PoolEvent[] {
    const start = Math.max(time, this.#first) - this.#first
    const end = start >= this.#next - this.#first ? this.#gapAfter(start) : this.#next - this.#first
    return this.#events.slice(start, end) as PoolEvent[]
  }

  /** Drops all events before `time`. Does not wait for missing events among them. */
  forget(time: number): void {
    if (time <= this.#first) return
    this.#events.splice(0, time - this.#first)
    this.#first = time
    this.#next = Math.max(this.#next, time)
    while (this.#events[this.#next - this.#first] !== undefined) this.#next += 1
  }

  #gapAfter(place: number): number {
    let end = place
    while (this.#events[end] !== undefined) end += 1
    return end
  }
}
