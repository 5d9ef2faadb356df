import type { Agent } from '../agent/agent.ts'
import type { NodeEvent } from '../agent/events.ts'
import { isInternal } from '../terminal/reporter.ts'

/** The limits of events and samples. Guess: a screen of events, and a chart as wide. */
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

/** The past events and samples, for pages that open later. */
export class History {
  readonly #agent: Agent
  readonly #sizes: Sample[] = []
  readonly #detections: Sample[] = []
  readonly #events: (NodeEvent & { readonly time: number })[] = []

  constructor(agent: Agent) {
    this.#agent = agent
    this.#sizes.push([agent.started, agent.pool.members().length])
  }

  detected(seconds: number): void {
    put(this.#detections, [Date.now(), seconds], SAMPLES_LIMIT)
  }

  take(event: NodeEvent): void {
    const now = Date.now()
    if (isInternal(event)) return
    put(this.#events, { ...event, time: now }, EVENTS_LIMIT)
    if (event.event !== 'joined' && event.event !== 'left' && event.event !== 'died') return
    const size = this.#agent.pool.members().length
    const last = this.#sizes.at(-1)
    if (last !== undefined && now - last[0] < SAMPLE_TIME) this.#sizes[this.#sizes.length - 1] = [last[0], size]
    else put(this.#sizes, [now, size], SAMPLES_LIMIT)
  }

  get past(): PastJson {
    return { sizes: this.#sizes, detections: this.#detections, events: this.#events }
  }
}

function put<Type>(list: Type[], one: Type, limit: number): void {
  list.push(one)
  if (list.length > limit) list.shift()
}
