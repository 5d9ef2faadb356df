/** The arrivals, sessions and departures of nodes. */
import * as v from 'valibot'
import type { Milliseconds } from '@jel/protocol'
import { amount, duration, rate, share, span, text } from './quantity.ts'
import { about, choice, exactly, flag, mapping, parsed, show, Unfit, word, type Schema } from './schema-kit.ts'

/** One line of a trace file. */
export interface TraceEvent {
  readonly at: Milliseconds
  readonly event: 'join' | 'leave' | 'crash'
  /** The number of the node, in the order of joining. */
  readonly node: number
}

/** The arrivals of the initial nodes. The first node comes at time 0. */
export type Arrivals =
  | { readonly type: 'atOnce' }
  | { readonly type: 'every'; readonly interval: Milliseconds }
  /** Each node comes at a random time within this span. */
  | { readonly type: 'within'; readonly span: Milliseconds }
  /** Independent arrivals, with this mean number per second. */
  | { readonly type: 'poisson'; readonly rate: number }
  | { readonly type: 'trace'; readonly file: string; readonly events: readonly TraceEvent[] }

/** The length of a node's stay, and its end. */
export interface Sessions {
  readonly length:
    | { readonly type: 'exponential'; readonly mean: Milliseconds }
    /** Never shorter than `min`. A smaller `shape` gives a heavier tail. */
    | { readonly type: 'pareto'; readonly min: Milliseconds; readonly shape: number }
    | { readonly type: 'constant'; readonly length: Milliseconds }
  /** The share of sessions that end by a crash. The other sessions end by leaving. */
  readonly crash: number
  /**
   * On average a new node comes this long after each end (exponential). Undefined: no new node
   * comes.
   */
  readonly replaced?: Milliseconds
  /** No session ends before this time. */
  readonly from: Milliseconds
  /** No session ends after this time. Undefined: the end of the scenario. */
  readonly until?: Milliseconds
  /** True if the first node stays, so that there is an introducer. */
  readonly keepFirst: boolean
}

const atOnce = parsed(exactly('at once'), (): Arrivals => ({ type: 'atOnce' }))
const arrivalForms = {
  every: parsed(mapping({ every: span }), ({ every }): Arrivals => ({ type: 'every', interval: every })),
  within: parsed(mapping({ within: about(span, 'each at a random time within so long') }), ({ within }): Arrivals => ({
    type: 'within',
    span: within,
  })),
  poisson: parsed(mapping({ poisson: about(rate, 'on average, such as 10/s') }), ({ poisson }): Arrivals => ({
    type: 'poisson',
    rate: poisson,
  })),
  trace: parsed(mapping({ trace: about(text('the name of a trace file'), 'relative to this file') }), ({ trace }): Arrivals => ({
    type: 'trace',
    file: trace,
    events: [],
  })),
}

export const arrivals: Schema<Arrivals> = choice<Arrivals>([atOnce, ...Object.values(arrivalForms)], (value) => {
  const form = 'expected "at once", { every: 100ms }, { within: 5s }, { poisson: 10/s } or { trace: FILE }'
  if (value === 'at once') return atOnce
  if (typeof value !== 'object' || value === null) return new Unfit(`${form}, not ${show(value)}`)
  const key = Object.keys(arrivalForms).find((each) => each in value) as keyof typeof arrivalForms | undefined
  return key === undefined ? new Unfit(`${form}, not ${show(value)}`) : arrivalForms[key]
})

const ending = parsed(word(['crash', 'leave'], 'ending'), (how) => (how === 'crash' ? 1 : 0))
const crashes = parsed(mapping({ crash: share }), ({ crash }) => crash)
const endings = choice<number>([ending, crashes], (value) => (typeof value === 'object' && value !== null ? crashes : ending))

const session = mapping({
  exponential: v.exactOptional(about(span, 'mean length')),
  pareto: v.exactOptional(mapping({ min: span, shape: amount(0.1) })),
  constant: v.exactOptional(span),
  ends: v.exactOptional(about(endings, 'crash, leave, or { crash: 30% }'), 'crash'),
  replaced: v.exactOptional(about(duration, 'a new node comes so long after each end, on average')),
  from: v.exactOptional(about(duration, 'no session ends before this time'), 0),
  until: v.exactOptional(about(duration, 'nor after this one')),
  keepFirst: v.exactOptional(about(flag, 'the first node stays'), false),
})

export const sessions = parsed(session, ({ exponential, pareto, constant, ends, ...rest }): Sessions | Unfit => {
  const lengths: Sessions['length'][] = []
  if (exponential !== undefined) lengths.push({ type: 'exponential', mean: exponential })
  if (pareto !== undefined) lengths.push({ type: 'pareto', ...pareto })
  if (constant !== undefined) lengths.push({ type: 'constant', length: constant })
  const [length] = lengths
  if (length === undefined || lengths.length > 1) return new Unfit('expected one of exponential, pareto and constant')
  return { ...rest, length, crash: ends }
})
