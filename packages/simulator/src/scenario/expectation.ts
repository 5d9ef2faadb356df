/** The expectations of a scenario, by a time or at the end. */
import * as v from 'valibot'
import type { Milliseconds } from '@jel/protocol'
import { amount, count, duration, parseDuration, share, size, span, text } from './quantity.ts'
import { about, choice, exactly, mapping, parsed, show, Unfit, unknownKey, word, written, type Schema } from './schema-kit.ts'
import { targets, words, type Targets } from './targets.ts'

/** The start of a measured time: a time of the scenario, its last arrival, or its last change. */
export type Mark = Milliseconds | 'last arrival' | 'last change'

interface Within {
  /** Undefined: the state must hold at the end. */
  readonly within?: Milliseconds
  readonly after: Mark
}

export type Expectation =
  /**
   * Every running node's view is exactly the set of running nodes. With `until` the views stay
   * right until that time.
   */
  | ({ readonly type: 'allKnowAll'; readonly until?: Milliseconds } & Within)
  /** All running nodes name the same living candidate. */
  | ({ readonly type: 'oneWinner'; readonly election: string } & Within)
  /**
   * No node receives a notification of the death of a member that it could reach for the 30 s
   * before, directly or through another member.
   */
  | { readonly type: 'noFalseDeaths' }
  /**
   * No node receives a notification of the end of any running member's life, even with a disturbed
   * network.
   */
  | { readonly type: 'noLifeEnds' }
  /**
   * A quantile of the times from a crash to its notification, over all pairs of crashed node and
   * survivor.
   */
  | { readonly type: 'detection'; readonly within: Milliseconds; readonly quantile: number }
  | { readonly type: 'bytesPerNode'; readonly atMost: number; readonly of: 'mean' | 'worst' }
  /** The bytes per second that the mean or the worst of these nodes receives between two times. */
  | {
      readonly type: 'bytesPerSecond'
      readonly atMost: number
      readonly of: 'mean' | 'worst'
      readonly nodes: Targets
      readonly from: Milliseconds
      readonly until: Milliseconds
    }
  /**
   * The most members that any node ever had in its view, including members that attackers made up.
   */
  | { readonly type: 'membersPerView'; readonly atMost: number }
  | { readonly type: 'linksPerNode'; readonly atMost: number }
  /**
   * Dials in the worst second after `after`: of the whole pool, or divided by the number of nodes.
   */
  | { readonly type: 'dialsPerSecond'; readonly atMost: number; readonly after: Mark; readonly of: 'pool' | 'node' }
  /** The number of reigns in this election that any node was notified of. */
  | { readonly type: 'reigns'; readonly election: string; readonly atMost: number }
  /**
   * The share of the processors' time that went into first executions while jobs ran. With `site`,
   * the share of each site's time that went into any execution.
   */
  | { readonly type: 'efficiency'; readonly atLeast: number; readonly site: readonly string[] }
  /** The repeated work as a share of the work without repetitions. */
  | { readonly type: 'doneTwice'; readonly atMost: number }
  /**
   * Each job, or this job, has its result within this time of its submission. All computing members
   * know the result at the end.
   */
  | { readonly type: 'jobDone'; readonly within: Milliseconds; readonly job?: string }
  /** All computing members hold the same, right result of each job at the end. */
  | { readonly type: 'sameResult' }

export type ExpectationType = Expectation['type']

const marks = ['last arrival', 'last change'] as const

const mark = written(
  (value): Mark | Unfit => {
    const known = marks.find((each) => each === value)
    if (known !== undefined) return known
    const parsed = parseDuration(value)
    return parsed instanceof Unfit ? new Unfit(`expected a time such as 30s, ${marks.join(' or ')}; not ${show(value)}`) : parsed
  },
  { anyOf: [{ enum: marks }, { type: 'string' }, { const: 0 }] },
)

const within = {
  within: v.exactOptional(about(duration, 'default: at the end')),
  after: v.exactOptional(about(mark, 'counted from this time, the last arrival, or the last change (default)'), 'last change'),
}
const election = { election: text('the name of an election') }
const noFields = parsed(exactly(true), () => ({}))
const meanOrWorst = v.exactOptional(word(['mean', 'worst'], 'figure'), 'mean')

const bodies = {
  allKnowAll: about(
    mapping({ ...within, until: v.exactOptional(about(span, 'and stays so until this time, from the start')) }),
    'every view is exactly who runs',
  ),
  oneWinner: about(mapping({ ...within, ...election }), 'all name the same living candidate'),
  noFalseDeaths: noFields,
  noLifeEnds: noFields,
  detection: about(mapping({ within: span, quantile: v.exactOptional(share, '99%') }), 'from a crash to the news of it'),
  bytesPerNode: about(mapping({ atMost: size, of: meanOrWorst }), 'received over the whole run'),
  bytesPerSecond: about(
    mapping({
      atMost: size,
      of: meanOrWorst,
      nodes: v.exactOptional(about(targets, 'default: all that live at that time'), 'all'),
      from: duration,
      until: span,
    }),
    'received a second between two times',
  ),
  membersPerView: about(mapping({ atMost: count(1) }), 'the most that any view ever had, those included that attackers made up'),
  linksPerNode: about(mapping({ atMost: count(1) }), 'the most that any node ever had'),
  dialsPerSecond: about(
    mapping({
      atMost: amount(0),
      after: v.exactOptional(mark, 0),
      of: v.exactOptional(about(word(['pool', 'node'], 'figure'), 'all dials, or the mean of all nodes that there ever were'), 'pool'),
    }),
    'in the worst second',
  ),
  reigns: about(mapping({ ...election, atMost: count(1) }), 'how many winners an election had'),
  efficiency: about(
    parsed(
      mapping({ atLeast: share, site: v.exactOptional(about(words, 'each of these; default: all nodes together')) }),
      ({ atLeast, site = [] }) => ({ atLeast, site }),
    ),
    'share of the processors’ time that went into work that counts, while jobs ran',
  ),
  doneTwice: about(mapping({ atMost: share }), 'work that was done more than once, as a share of the work'),
  jobDone: about(
    mapping({ within: span, job: v.exactOptional(about(text('the name of a job'), 'default: each')) }),
    'from its submission to its result, which all know at the end',
  ),
  sameResult: noFields,
} satisfies Record<ExpectationType, Schema<unknown>>

const types = Object.keys(bodies) as ExpectationType[]

const entries = Object.fromEntries(
  types.map((type) => [
    type,
    parsed(
      mapping({ [type]: bodies[type] }),
      (fields) => ({ ...(fields as Record<string, object>)[type], type }) as unknown as Expectation,
    ),
  ]),
) as unknown as Record<ExpectationType, Schema<Expectation>>

/** An expectation as a bare name, without fields. */
const bare = written(
  (value): Expectation | Unfit => {
    if (value === 'noFalseDeaths' || value === 'noLifeEnds' || value === 'sameResult') return { type: value }
    if (value === 'allKnowAll') return { type: 'allKnowAll', after: 'last change' }
    return new Unfit(unknownKey(String(value), types).replace('unknown key', 'nothing known to expect:'))
  },
  { enum: ['noFalseDeaths', 'noLifeEnds', 'allKnowAll', 'sameResult'] },
)

/** One entry of `expect`, such as `allKnowAll: { within: 10s }`. */
export const expectation: Schema<Expectation> = choice<Expectation>([bare, ...Object.values(entries)], (value) => {
  if (typeof value === 'string') return bare
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Unfit(`expected one of ${types.join(', ')}; not ${show(value)}`)
  const [key = '', second] = Object.keys(value)
  if (second !== undefined) return new Unfit(`two expectations in one, ${key} and ${second}; make it two entries`)
  const type = types.find((each) => each === key)
  return type === undefined ? new Unfit(unknownKey(key, types)) : entries[type]
})
