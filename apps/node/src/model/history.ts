import type { NodeEvent } from '../events/events.ts'

/** The limits of events and samples. Guess: a screen has room for fewer. */
const EVENTS_LIMIT = 200
const SAMPLES_LIMIT = 500
/** The least time between two samples of the pool's size, ms. Guess. */
const SAMPLE_TIME = 1_000

/** A time, Unix ms, and the value at that time. */
export type Sample = readonly [time: number, value: number]

export interface PastJson {
  /** The number of members, at each change. */
  readonly sizes: readonly Sample[]
  /** The deaths that this node detected, with the seconds that each detection took. */
  readonly detections: readonly Sample[]
  readonly events: readonly (NodeEvent & { readonly time: number })[]
}

/** The past events and samples. The node keeps them for pages that open later. */
export class History {
  #sizes: Sample[] = []
  #detections: Sample[] = []
  #events: (NodeEvent & { readonly time: number })[] = []

  get past(): PastJson {
    return { sizes: this.#sizes, detections: this.#detections, events: this.#events }
  }

  /** Takes an event. `now`: Unix ms; `size`: the number of members after it. */
  take(event: NodeEvent, now: number, size: number): void {
    put(this.#events, { ...event, time: now }, EVENTS_LIMIT)
    if (event.event !== 'joined' && event.event !== 'left' && event.event !== 'died') return
    const last = this.#sizes.at(-1)
    if (last !== undefined && now - last[0] < SAMPLE_TIME) this.#sizes[this.#sizes.length - 1] = [last[0], size]
    else put(this.#sizes, [now, size], SAMPLES_LIMIT)
  }

  detected(seconds: number, now: number): void {
    put(this.#detections, [now, seconds], SAMPLES_LIMIT)
  }

  /** Replaces the past. */
  begin({ sizes, detections, events }: PastJson): void {
    this.#sizes = [...sizes]
    this.#detections = [...detections]
    this.#events = [...events]
  }
}

function put<Type>(list: Type[], one: Type, limit: number): void {
  list.push(one)
  if (list.length > limit) list.shift()
}
