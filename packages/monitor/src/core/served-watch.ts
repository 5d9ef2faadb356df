import type { Problem } from './reading.ts'
import type { Sample } from './ring.ts'
import type { Row } from './row.ts'
import type { Milliseconds } from './sensor.ts'
import type { ParsedWatch } from './watch-spec.ts'
import { Window } from './window.ts'
import type { Value } from '../expression/value.ts'

/** One attribute of a watch. */
interface Watched {
  readonly window: Window | undefined
  nextAt: Milliseconds
  /** The last value, reduced if there is a window. */
  value: Value | undefined
  sent: Value | undefined
  problem: string | undefined
}

/**
 * A watch of one consumer. It selects the rows that pass its filters. A slow consumer gets the
 * latest row of each attribute.
 */
export class ServedWatch {
  readonly id: string
  readonly spec: ParsedWatch
  readonly #began: Milliseconds
  readonly #watched: readonly Watched[]
  #holds: boolean | undefined
  #isFull = false
  /** The latest unsent row of each attribute. */
  readonly #pending = new Map<number, Row>()
  #lost = 0

  /** @param held whether the condition was true when the last stream broke */
  constructor(id: string, spec: ParsedWatch, held: boolean, now: Milliseconds) {
    const { attributes, over, reduce } = spec
    this.id = id
    this.spec = spec
    this.#began = now
    this.#holds = held ? true : undefined
    this.#watched = attributes.map(() => ({
      window: over === undefined ? undefined : new Window(over, reduce),
      nextAt: now,
      value: undefined,
      sent: undefined,
      problem: undefined,
    }))
  }

  /** Takes a new sample of a series that is measured each `every` ms. Returns the rows to send. */
  measured(name: string, series: number, sample: Sample, every: Milliseconds, now: Milliseconds): readonly Row[] {
    const index = this.spec.attributes.indexOf(name)
    const watched = this.#watched[index] as Watched
    // Another watch of the attribute may want more samples than this one.
    if (now < watched.nextAt - every / 2) return []
    watched.nextAt = Math.max(watched.nextAt + this.spec.every, now)
    return this.#take(index, series, sample, { now, replayed: false })
  }

  /** Takes the samples after a break, see `Series.after`. Returns the rows to send. */
  replay(index: number, series: number, parts: readonly (Sample | number)[], now: Milliseconds): readonly Row[] {
    const { when, change } = this.spec
    return parts.flatMap((part) => {
      if (typeof part === 'object') return this.#take(index, series, part, { now, replayed: true })
      // The filters of a watch drop samples, too. So missing samples tell its consumer nothing.
      return when === undefined && change === undefined ? this.#sent({ type: 'gap', index, missing: part }) : []
    })
  }

  /**
   * The attribute has a problem. It is sent once, until the attribute has a value again. Returns
   * the rows to send.
   */
  failed(name: string, problem: Problem): readonly Row[] {
    const index = this.spec.attributes.indexOf(name)
    const watched = this.#watched[index] as Watched
    if (watched.problem === problem.message) return []
    watched.problem = problem.message
    return this.#sent({ type: 'problem', index, problem })
  }

  /** The consumer is slow, or has read all. Returns the rows to send. */
  flow(isFull: boolean): readonly Row[] {
    this.#isFull = isFull
    if (isFull || this.#pending.size === 0) return []
    const lost: readonly Row[] = this.#lost > 0 ? [{ type: 'lost', count: this.#lost }] : []
    const rows = [...lost, ...this.#pending.values()]
    this.#pending.clear()
    this.#lost = 0
    return rows
  }

  /** Returns a sample if the filters of the watch let it pass. */
  #take(
    index: number,
    series: number,
    sample: Sample,
    { now, replayed }: { readonly now: Milliseconds; readonly replayed: boolean },
  ): readonly Row[] {
    const { when, change, isSummary, over = 0 } = this.spec
    const watched = this.#watched[index] as Watched
    const { window } = watched
    watched.problem = undefined
    const value = window === undefined || typeof sample.value !== 'number' ? sample.value : window.push(sample.value, sample.at)
    if (typeof value === 'number' && !Number.isFinite(value)) return []
    // A window that is not full yet would show single values.
    if (isSummary === true && (typeof value !== 'number' || now - this.#began < over)) return []
    watched.value = value
    const holds =
      when === undefined ? undefined : when.evaluate((name) => this.#watched[this.spec.attributes.indexOf(name)]?.value) === true
    const turned = holds !== this.#holds && !(this.#holds === undefined && holds === false)
    this.#holds = holds
    const isChange =
      (when === undefined || holds === true) && (change === undefined ? when === undefined : differs(value, watched.sent, change))
    if (!turned && !isChange) return []
    watched.sent = value
    return this.#sent({ type: 'sample', index, series, replayed, ...sample, value, ...(holds !== undefined && { holds }) })
  }

  #sent(row: Exclude<Row, { type: 'lost' }>): readonly Row[] {
    if (!this.#isFull) return [row]
    if (this.#pending.get(row.index)?.type === 'sample') this.#lost++
    this.#pending.set(row.index, row)
    return []
  }
}

function differs(value: Value, sent: Value | undefined, change: number): boolean {
  if (typeof value === 'number' && typeof sent === 'number') return Math.abs(value - sent) > change * Math.abs(sent)
  return JSON.stringify(value) !== JSON.stringify(sent)
}
