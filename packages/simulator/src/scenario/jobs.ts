/** The jobs of a pool, and the computing power of its members. */
import * as v from 'valibot'
import type { Milliseconds } from '@jel/protocol'
import { amount, count, duration, share, span, text } from './quantity.ts'
import { about, choice, list, mapping, named, parsed, show, Unfit, type Schema } from './schema-kit.ts'
import { targets, type Targets } from './targets.ts'
import { taskTime, type TaskTime } from './task-time.ts'

/** The shape of a job's tasks. */
export type Shape =
  /** Inner tasks divide their leaves unevenly. */
  | { readonly type: 'tree'; readonly leaves: number; readonly branching: number; readonly leaf: TaskTime }
  /** One task has all other tasks as its children. */
  | { readonly type: 'flat'; readonly leaves: number; readonly leaf: TaskTime }
  /** Branch and bound with one shared minimum. */
  | { readonly type: 'search'; readonly depth: number; readonly branching: number; readonly node: TaskTime }
  /** An index space in pieces of about this duration, by each worker's measurements. */
  | { readonly type: 'space'; readonly indices: number; readonly index: TaskTime; readonly piece: Milliseconds }
  /** A fold: the result of each task requests the next task, until the last round. */
  | { readonly type: 'driver'; readonly tasks: number; readonly rounds: number; readonly task: TaskTime }

export interface ScenarioJob {
  readonly name: string
  readonly at: Milliseconds
  /** The first of these nodes submits the job. */
  readonly by: Targets
  /** The number of members that compute each task. */
  readonly votes: number
  readonly shape: Shape
}

/** One value for all sites, or values by site. The default for a missing site is 1. */
export type BySite = number | Readonly<Record<string, number>>

/** The computing power and honesty of members. */
export interface Computing {
  /** The number of tasks that a node runs at once. */
  readonly workers: BySite
  readonly speed: BySite
  /** A share of the nodes is slower by this factor. */
  readonly stragglers: { readonly share: number; readonly slower: number }
  /** The share of the nodes that give wrong values. */
  readonly liars: number
}

const shapes = {
  tree: mapping({ leaves: count(1), branching: v.exactOptional(about(count(2), 'most children of a task'), 4), leaf: taskTime }),
  flat: mapping({ leaves: count(1), leaf: taskTime }),
  search: mapping({ depth: v.exactOptional(count(1), 7), branching: v.exactOptional(count(2), 4), node: taskTime }),
  space: mapping({
    indices: count(1),
    index: taskTime,
    piece: v.exactOptional(about(span, 'how long one piece should take; default: 1s'), '1s'),
  }),
  driver: mapping({ tasks: about(count(1), 'that are out at once'), rounds: count(1), task: taskTime }),
} satisfies Record<Shape['type'], Schema<unknown>>

const types = Object.keys(shapes) as Shape['type'][]

const fields = {
  at: duration,
  by: v.exactOptional(about(targets, 'who submits it: the first of these; default: the first that is there'), 'all'),
  name: v.exactOptional(about(text('a name'), 'default: job 1, job 2 and so on')),
  votes: v.exactOptional(about(count(1), 'members that compute each task'), 1),
}

type Written = Omit<ScenarioJob, 'name'> & { readonly name?: string }

const forms = Object.fromEntries(
  types.map((type) => [
    type,
    parsed(mapping({ ...fields, [type]: shapes[type] }), (all): Written => {
      const { [type]: shape, ...rest } = all as unknown as Record<string, object>
      return { ...(rest as unknown as Omit<Written, 'shape'>), shape: { type, ...shape } as Shape }
    }),
  ]),
) as unknown as Record<Shape['type'], Schema<Written>>

const job = choice<Written>(Object.values(forms), (value) => {
  const type = types.find((each) => typeof value === 'object' && value !== null && each in value)
  return type === undefined ? new Unfit(`expected a job with at, and one of ${types.join(', ')}; not ${show(value)}`) : forms[type]
})

/** Jobs in the order of the file. A job without a name gets a name from its number. */
export const jobs: Schema<readonly ScenarioJob[]> = parsed(list(job), (all) =>
  all.map((each, index): ScenarioJob => ({ name: `job ${index + 1}`, ...each })),
)

function bySite(each: Schema<number>): Schema<BySite> {
  const sites = named(each)
  return choice<BySite>([each, sites], (value) => (typeof value === 'object' && value !== null ? sites : each))
}

export const computing: Schema<Computing> = mapping({
  workers: v.exactOptional(about(bySite(count(0)), 'tasks that a node runs at once, or how many in which site; default: 1'), 1),
  speed: v.exactOptional(about(bySite(amount(0.01)), 'of a processor, or of those in which site; default: 1'), 1),
  stragglers: v.exactOptional(
    about(
      mapping({ share, slower: v.exactOptional(about(amount(1), 'so many times; default: 10'), 10) }),
      'a share of the nodes is slower',
    ),
    { share: 0, slower: 1 },
  ),
  liars: v.exactOptional(about(share, 'share of the nodes that give wrong values'), 0),
})
