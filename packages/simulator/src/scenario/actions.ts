/** The actions on nodes and on the network at a given time. Each kind has its own fields. */
import * as z from 'zod'
import type { Milliseconds } from '@jel/protocol'
import { attackNames, type AttackName } from '../hostile/index.ts'
import type { AddressChange } from '../network/address.ts'
import type { CutKind } from '../network/reachability.ts'
import { count, duration, loss, span, text } from './quantity.ts'
import { choice, mapping, show, Unfit, unknownKey, word, written } from './schema-kit.ts'
import { targets, type Targets } from './targets.ts'

/** Fields of every action. */
interface Timed {
  /** The time of the action, from the start of the scenario. */
  readonly at: Milliseconds
  /** The interval of repetitions. */
  readonly every?: Milliseconds
  /** The end of repetitions, from the start of the scenario. Default: the end of the scenario. */
  readonly until?: Milliseconds
}

/** The effect ends after this time. Default: it lasts. */
interface Lasting {
  readonly for?: Milliseconds
}

export type Action = Timed &
  (
    | { readonly type: 'kill' | 'leave' | 'continue' | 'restore'; readonly targets: Targets }
    | ({ readonly type: 'stop' | 'silence' | 'sleep'; readonly targets: Targets } & Lasting)
    /** An added address goes away after a time. A replaced address does not come back. */
    | ({ readonly type: 'address'; readonly targets: Targets; readonly change: AddressChange } & Lasting)
    | { readonly type: 'stall'; readonly targets: Targets; readonly for: Milliseconds }
    | ({ readonly type: 'partition'; readonly sides: readonly Targets[] } & Lasting)
    | { readonly type: 'heal' }
    | ({
        readonly type: 'cut'
        readonly from: Targets
        readonly to: Targets
        readonly ways: 'one' | 'both'
        /** Packets vanish, or a firewall answers them with RST. */
        readonly how: CutKind
      } & Lasting)
    | { readonly type: 'flap'; readonly targets: Targets; readonly period: Milliseconds; readonly for: Milliseconds }
    | ({ readonly type: 'loss'; readonly targets: Targets; readonly loss: number } & Lasting)
    | { readonly type: 'elect' | 'withdraw'; readonly targets: Targets; readonly election: string }
    | { readonly type: 'maybeDead'; readonly targets: Targets; readonly by: Targets }
    | {
        readonly type: 'hostile'
        readonly attack: AttackName
        readonly count: number
        /** Attackers enter at the time of the action, and attack between these times. */
        readonly from: Milliseconds
        readonly to: Milliseconds
        readonly against: Targets
      }
    | { readonly type: 'join'; readonly count: number; readonly site?: string; readonly over: Milliseconds }
  )

/** An action as in a file: the `count` of a join may be a share of the initial nodes. */
export type FileAction =
  | Exclude<Action, { readonly type: 'join' }>
  | (Omit<Extract<Action, { readonly type: 'join' }>, 'count'> & { readonly count: NodeCount })

/** A number of nodes, or a share of the initial nodes. 0.5 is half as many. */
type NodeCount = { readonly nodes: number } | { readonly share: number }

export type ActionType = Action['type']

const timed = {
  at: duration.describe('when, from the start'),
  every: span.exactOptional().describe('again and again, so often'),
  until: duration.exactOptional().describe('repeat until this time, from the start'),
}
const lasting = { for: span.exactOptional().describe('undone after this time; default: it lasts') }

function on(type: ActionType, description: string, more: z.core.$ZodLooseShape = {}): z.ZodType<FileAction> {
  return mapping({ ...timed, ...more, [type]: targets.describe(description) }).transform((fields) => {
    const { [type]: chosen, ...rest } = fields as Record<string, unknown>
    return { ...rest, type, targets: chosen } as unknown as FileAction
  })
}

const sides = choice<readonly Targets[]>([targets.transform((one) => [one]), z.array(targets).min(1)], (value) =>
  Array.isArray(value) && !value.every((each) => typeof each === 'number') ? z.array(targets).min(1) : targets.transform((one) => [one]),
)

const nodeCount = written(
  (value): NodeCount | Unfit => {
    const percent = typeof value === 'string' ? /^(\d+(?:\.\d+)?) ?%$/u.exec(value.trim())?.[1] : undefined
    if (percent !== undefined && Number(percent) > 0) return { share: Number(percent) / 100 }
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return { nodes: value }
    return new Unfit(`expected a number of nodes, or a share of those of the start such as 50%, not ${show(value)}`)
  },
  {
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'string', pattern: '^\\d+(\\.\\d+)? ?%$' },
    ],
  },
)

/** Resolves the action for a pool that starts with this many nodes. */
export function resolveAction(action: FileAction, nodes: number): Action {
  if (action.type !== 'join') return action
  const { count } = action
  return { ...action, count: 'nodes' in count ? count.nodes : Math.max(1, Math.round(count.share * nodes)) }
}

const schemas: Record<ActionType, z.ZodType<FileAction>> = {
  kill: on('kill', 'SIGKILL: the processes end at once; their kernels close their connections'),
  leave: on('leave', 'they leave gracefully'),
  stop: on('stop', 'SIGSTOP: the processes stand still, their kernels go on', lasting),
  continue: on('continue', 'SIGCONT'),
  stall: mapping({ ...timed, stall: targets.describe('their event loops are busy'), for: span.describe('for so long') }).transform(
    ({ stall, ...rest }): FileAction => ({ ...rest, type: 'stall', targets: stall }),
  ),
  sleep: on('sleep', 'their machines are suspended: nothing runs, nothing comes, nothing goes', lasting),
  address: on('address', 'their addresses change', {
    ...lasting,
    change: word(['add', 'replace'], 'change')
      .default('add')
      .describe('one more, as of a bridge, which goes after the time of for (add, default); or another, and the old one is gone (replace)'),
  }),
  silence: on('silence', 'the cable of their machines is pulled: nothing comes, nothing goes, nothing is refused', lasting),
  restore: on('restore', 'the cable is plugged in again, and loss by an earlier action ends'),
  partition: mapping({
    ...timed,
    ...lasting,
    partition: sides.describe('one side, or a list of sides; all other nodes make one more'),
  }).transform(({ partition, ...rest }): FileAction => ({ ...rest, type: 'partition', sides: partition })),
  heal: mapping({ ...timed, heal: z.literal('all').describe('ends partitions, cuts and flapping') }).transform((fields): FileAction => ({
    ...fields,
    type: 'heal',
  })),
  cut: mapping({
    ...timed,
    ...lasting,
    cut: mapping(
      {
        from: targets,
        to: targets,
        ways: word(['one', 'both'], 'ways').default('one').describe('the way back stays (one, default), or is cut, too (both)'),
        how: word(['drop', 'reject'], 'kind of cut')
          .default('drop')
          .describe('packets vanish (drop, default), or a firewall answers them with RST (reject)'),
      },
      'the two ends',
    ).describe('no packet gets from one to the other; all others reach both'),
  }).transform(({ cut, ...rest }): FileAction => ({ ...rest, type: 'cut', ...cut })),
  flap: mapping({
    ...timed,
    flap: targets.describe('their links to all others go down and up in turn'),
    period: span.describe('so long down, then so long up'),
    for: span.describe('for so long in all'),
  }).transform(({ flap, ...rest }): FileAction => ({ ...rest, type: 'flap', targets: flap })),
  loss: mapping({
    ...timed,
    ...lasting,
    loss: loss.describe('share of the packets to and from these nodes that get lost, besides the loss of the network'),
    on: targets,
  }).transform(({ on, ...rest }): FileAction => ({ ...rest, type: 'loss', targets: on })),
  elect: mapping({ ...timed, elect: text('the name of an election').describe('stand in this election'), by: targets }).transform(
    ({ elect, by, ...rest }): FileAction => ({ ...rest, type: 'elect', election: elect, targets: by }),
  ),
  withdraw: mapping({ ...timed, withdraw: text('the name of an election').describe('no longer stand in it'), by: targets }).transform(
    ({ withdraw, by, ...rest }): FileAction => ({ ...rest, type: 'withdraw', election: withdraw, targets: by }),
  ),
  maybeDead: mapping({ ...timed, maybeDead: targets.describe('who may be dead'), by: targets.describe('who says so') }).transform(
    ({ maybeDead, ...rest }): FileAction => ({ ...rest, type: 'maybeDead', targets: maybeDead }),
  ),
  hostile: mapping({
    ...timed,
    hostile: word(attackNames, 'attack').describe('so many attackers enter'),
    count: count(1).default(1),
    from: duration.default(0).describe('when the attack begins, from the start; default: as they enter'),
    to: duration.exactOptional().describe('when it ends; default: at the end'),
    against: targets.default({}).describe('whom they are after; default: all'),
  }).transform(({ hostile, to = Infinity, ...rest }): FileAction => ({ ...rest, type: 'hostile', attack: hostile, to })),
  join: mapping({
    ...timed,
    join: nodeCount.describe('so many more nodes start, or a share of those of the start'),
    site: text('a site').exactOptional(),
    over: duration.default(0).describe('evenly over this time; default: at once'),
  }).transform(({ join, ...rest }): FileAction => ({ ...rest, type: 'join', count: join })),
}

const types = Object.keys(schemas) as ActionType[]
const common = ['at', 'every', 'until', 'for', 'by', 'on', 'period', 'over', 'site', 'change', 'count', 'from', 'to', 'against']

/** One entry of `actions`: `at`, one of the kinds as a key, and the fields of that kind. */
export const action: z.ZodType<FileAction> = choice<FileAction>(Object.values(schemas), (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Unfit(`expected an action such as { at: 30s, kill: 30% }, not ${show(value)}`)
  }
  const keys = Object.keys(value)
  const [type, second] = types.filter((each) => keys.includes(each))
  if (type === undefined) {
    const strange = keys.find((key) => !common.includes(key))
    return new Unfit(strange === undefined ? `no action; expected one of ${types.join(', ')}` : unknownKey(strange, types))
  }
  return second === undefined ? schemas[type] : new Unfit(`two actions in one, ${type} and ${second}; make it two entries`)
})
