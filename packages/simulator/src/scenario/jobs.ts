/** The jobs of a pool, and the computing power of its members. */
import * as z from 'zod'
import type { Milliseconds } from '@jel/protocol'
import { amount, count, duration, share, span, text } from './quantity.ts'
import { choice, mapping, show, Unfit } from './schema-kit.ts'
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
  tree: mapping({ leaves: count(1), branching: count(2).default(4).describe('most children of a task'), leaf: taskTime }),
  flat: mapping({ leaves: count(1), leaf: taskTime }),
  search: mapping({ depth: count(1).default(7), branching: count(2).default(4), node: taskTime }),
  space: mapping({
    indices: count(1),
    index: taskTime,
    piece: span.default(1_000).describe('how long one piece should take; default: 1s'),
  }),
  driver: mapping({ tasks: count(1).describe('that are out at once'), rounds: count(1), task: taskTime }),
} satisfies Record<Shape['type'], z.ZodType>

const types = Object.keys(shapes) as Shape['type'][]

const fields = {
  at: duration,
  by: targets.default({}).describe('who submits it: the first of these; default: the first that is there'),
  name: text('a name').exactOptional().describe('default: job 1, job 2 and so on'),
  votes: count(1).default(1).describe('members that compute each task'),
}

type Written = Omit<ScenarioJob, 'name'> & { readonly name?: string }

const forms = Object.fromEntries(
  types.map((type) => [
    type,
    mapping({ ...fields, [type]: shapes[type] }).transform((all): Written => {
      const { [type]: shape, ...rest } = all as unknown as Record<string, object>
      return { ...(rest as unknown as Omit<Written, 'shape'>), shape: { type, ...shape } as Shape }
    }),
  ]),
) as unknown as Record<Shape['type'], z.ZodType<Written>>

const job = choice<Written>(Object.values(forms), (value) => {
  const type = types.find((each) => typeof value === 'object' && value !== null && each in value)
  return type === undefined ? new Unfit(`expected a job with at, and one of ${types.join(', ')}; not ${show(value)}`) : forms[type]
})

/** Jobs in the order of the file. A job without a name gets a name from its number. */
export const jobs: z.ZodType<readonly ScenarioJob[]> = z
  .array(job)
  .transform((all) => all.map((each, index): ScenarioJob => ({ name: `job ${index + 1}`, ...each })))

function bySite(each: z.ZodType<number>): z.ZodType<BySite> {
  const sites = z.record(z.string(), each)
  return choice<BySite>([each, sites], (value) => (typeof value === 'object' && value !== null ? sites : each))
}

export const computing: z.ZodType<Computing> = mapping({
  workers: bySite(count(0)).default(1).describe('tasks that a node runs at once, or how many in which site; default: 1'),
  speed: bySite(amount(0.01)).default(1).describe('of a processor, or of those in which site; default: 1'),
  stragglers: mapping({ share, slower: amount(1).default(10).describe('so many times; default: 10') })
    .default({ share: 0, slower: 1 })
    .describe('a share of the nodes is slower'),
  liars: share.default(0).describe('share of the nodes that give wrong values'),
})
