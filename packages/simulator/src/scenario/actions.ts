/** The actions on nodes and on the network at a given time. Each kind has its own fields. */
import * as v from 'valibot'
import type { Milliseconds } from '@jel/protocol'
import { attackNames, type AttackName } from '../hostile/index.ts'
import type { AddressChange } from '../network/address.ts'
import type { CutKind } from '../network/reachability.ts'
import { count, duration, loss, span, text } from './quantity.ts'
import {
  about,
  choice,
  exactly,
  jsonSchemaOf,
  list,
  mapping,
  parsed,
  show,
  shownAs,
  Unfit,
  unknownKey,
  word,
  written,
  type Schema,
} from './schema-kit.ts'
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
    /** An added address goes away after `for`. A replaced address does not come back. */
    | ({ readonly type: 'address'; readonly targets: Targets; readonly change: AddressChange } & Lasting)
    | { readonly type: 'stall'; readonly targets: Targets; readonly for: Milliseconds }
    | ({ readonly type: 'partition'; readonly sides: readonly Targets[] } & Lasting)
    | { readonly type: 'heal' }
    | ({
        readonly type: 'cut'
        readonly from: Targets
        readonly to: Targets
        readonly ways: 'one' | 'both'
        /** Whether packets vanish, or a firewall answers them with RST. */
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
  at: about(duration, 'when, from the start'),
  every: v.exactOptional(about(span, 'again and again, so often')),
  until: v.exactOptional(about(duration, 'repeat until this time, from the start')),
}
const lasting = { for: v.exactOptional(about(span, 'undone after this time; default: it lasts')) }

function on(type: ActionType, description: string, more: v.ObjectEntries = {}): Schema<FileAction> {
  return parsed(mapping({ ...timed, ...more, [type]: about(targets, description) }), (fields) => {
    const { [type]: chosen, ...rest } = fields as Record<string, unknown>
    return { ...rest, type, targets: chosen } as unknown as FileAction
  })
}

const oneSide = parsed(targets, (one): readonly Targets[] => [one])
const someSides = shownAs(list(targets), { type: 'array', items: jsonSchemaOf(targets), minItems: 1 })
const sides = choice<readonly Targets[]>([oneSide, someSides], (value) =>
  Array.isArray(value) && !value.every((each) => typeof each === 'number') ? someSides : oneSide,
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

const schemas: Record<ActionType, Schema<FileAction>> = {
  kill: on('kill', 'SIGKILL: the processes end at once; their kernels close their connections'),
  leave: on('leave', 'they leave gracefully'),
  stop: on('stop', 'SIGSTOP: the processes stand still, their kernels go on', lasting),
  continue: on('continue', 'SIGCONT'),
  stall: on('stall', 'their event loops are busy', { for: about(span, 'for so long') }),
  sleep: on('sleep', 'their machines are suspended: nothing runs, nothing comes, nothing goes', lasting),
  address: on('address', 'their addresses change', {
    ...lasting,
    change: v.exactOptional(
      about(
        word(['add', 'replace'], 'change'),
        'one more, as of a bridge, which goes after the time of for (add, default); or another, and the old one is gone (replace)',
      ),
      'add',
    ),
  }),
  silence: on('silence', 'the cable of their machines is pulled: nothing comes, nothing goes, nothing is refused', lasting),
  restore: on('restore', 'the cable is plugged in again, and loss by an earlier action ends'),
  partition: parsed(
    mapping({
      ...timed,
      ...lasting,
      partition: about(sides, 'one side, or a list of sides; all other nodes make one more'),
    }),
    ({ partition, ...rest }): FileAction => ({ ...rest, type: 'partition', sides: partition }),
  ),
  heal: parsed(mapping({ ...timed, heal: about(exactly('all'), 'ends partitions, cuts and flapping') }), (fields): FileAction => ({
    ...fields,
    type: 'heal',
  })),
  cut: parsed(
    mapping({
      ...timed,
      ...lasting,
      cut: about(
        mapping(
          {
            from: targets,
            to: targets,
            ways: v.exactOptional(about(word(['one', 'both'], 'ways'), 'the way back stays (one, default), or is cut, too (both)'), 'one'),
            how: v.exactOptional(
              about(
                word(['drop', 'reject'], 'kind of cut'),
                'packets vanish (drop, default), or a firewall answers them with RST (reject)',
              ),
              'drop',
            ),
          },
          'the two ends',
        ),
        'no packet gets from one to the other; all others reach both',
      ),
    }),
    ({ cut, ...rest }): FileAction => ({ ...rest, type: 'cut', ...cut }),
  ),
  flap: on('flap', 'their links to all others go down and up in turn', {
    period: about(span, 'so long down, then so long up'),
    for: about(span, 'for so long in all'),
  }),
  loss: parsed(
    mapping({
      ...timed,
      ...lasting,
      loss: about(loss, 'share of the packets to and from these nodes that get lost, besides the loss of the network'),
      on: targets,
    }),
    ({ on, ...rest }): FileAction => ({ ...rest, type: 'loss', targets: on }),
  ),
  elect: parsed(
    mapping({ ...timed, elect: about(text('the name of an election'), 'stand in this election'), by: targets }),
    ({ elect, by, ...rest }): FileAction => ({ ...rest, type: 'elect', election: elect, targets: by }),
  ),
  withdraw: parsed(
    mapping({ ...timed, withdraw: about(text('the name of an election'), 'no longer stand in it'), by: targets }),
    ({ withdraw, by, ...rest }): FileAction => ({ ...rest, type: 'withdraw', election: withdraw, targets: by }),
  ),
  maybeDead: on('maybeDead', 'who may be dead', { by: about(targets, 'who says so') }),
  hostile: parsed(
    mapping({
      ...timed,
      hostile: about(word(attackNames, 'attack'), 'so many attackers enter'),
      count: v.exactOptional(count(1), 1),
      from: v.exactOptional(about(duration, 'when the attack begins, from the start; default: as they enter'), 0),
      to: v.exactOptional(about(duration, 'when it ends; default: at the end')),
      against: v.exactOptional(about(targets, 'whom they are after; default: all'), 'all'),
    }),
    ({ hostile, to = Infinity, ...rest }): FileAction => ({ ...rest, type: 'hostile', attack: hostile, to }),
  ),
  join: parsed(
    mapping({
      ...timed,
      join: about(nodeCount, 'so many more nodes start, or a share of those of the start'),
      site: v.exactOptional(text('a site')),
      over: v.exactOptional(about(duration, 'evenly over this time; default: at once'), 0),
    }),
    ({ join, ...rest }): FileAction => ({ ...rest, type: 'join', count: join }),
  ),
}

const types = Object.keys(schemas) as ActionType[]
const common = ['at', 'every', 'until', 'for', 'by', 'on', 'period', 'over', 'site', 'change', 'count', 'from', 'to', 'against']

/** One entry of `actions`: `at`, one of the kinds as a key, and the fields of that kind. */
export const action: Schema<FileAction> = choice<FileAction>(Object.values(schemas), (value) => {
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
