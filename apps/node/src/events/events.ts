import type { JobEvent, JobsEvent, OutputEvent } from './job-messages.ts'
import type { LedgerJson } from './ledger.ts'
import type { Capacities, ConditionCount, ListedRank, ListedStart, Token } from '@jel/allocate'
import type { AttributeSchema, ConstantValues, MemberEvent, Reading, WatchEvent } from '@jel/monitor'
import type { Health, Member, PoolKeyInfo, PoolRecord, Reign } from '@jel/jel'
import type { ReplicaStatus, ServiceInfo } from '@jel/service'
import { toString } from 'uint8arrays'
import { jsonText, utf8Text } from '../base/text.ts'

/** A node in JSON. `tag` is base64. `tagText` is the same as text, if it is UTF-8. */
export interface NodeJson {
  readonly id: string
  readonly incarnation: number
  readonly addresses: readonly string[]
  readonly location: string
  readonly tag: string
  readonly tagText?: string
  /**
   * How others reach the node. `direct`: others can dial it. `hidden`: it only dials. `tab`: it is
   * a browser tab.
   */
  readonly reach: Member['reach']
  /** The time at which this incarnation entered, by the node's clock, Unix ms. */
  readonly joinedAt: number
  /**
   * With reliable joins: the number of ids that joined before this one. It is the same at all
   * nodes.
   */
  readonly rank?: number
  /** With reliable joins: the index of its join, or of its end, in the ledger. */
  readonly index?: number
}

/** Whether a member is in the pool, as far as this node knows. */
export type MemberState = 'here' | 'left' | 'died'

/** A member in a list. `since`: the time at which this node learned the member's state, Unix ms. */
export interface ListedJson extends NodeJson {
  readonly state: MemberState
  readonly since: number
}

/** A reign in a list. */
export interface ReignJson {
  readonly election: string
  readonly epoch: number
  readonly node: NodeJson
}

/**
 * The result, at one member, of a command that goes to all members. `keys` or `allowed` has the
 * state of the member after the command. If the result is not `done`, there is a `reason`. A member
 * that `died` or `left` was not asked.
 */
export interface MemberResultJson {
  readonly node: string
  readonly location: string
  readonly result: 'done' | 'refused' | 'no answer' | 'died' | 'left'
  readonly keys?: readonly PoolKeyInfo[]
  /** `fingerprint` is a hash of the ids on the allow list. Equal lists have equal fingerprints. */
  readonly allowed?: { readonly count: number; readonly fingerprint: string }
  readonly reason?: string
}

/**
 * The attributes of a member. The member announced its `constants` to the pool. Without `readings`
 * and `schema` there is a `reason`.
 */
export interface AttributesJson {
  readonly node: string
  readonly location: string
  readonly constants?: ConstantValues
  readonly readings?: readonly Reading[]
  readonly schema?: readonly AttributeSchema[]
  readonly reason?: string
}

/** How a rank of a group ended. `status` 0: its program has ended well, and has a `value`. */
export interface RankEndJson {
  readonly member: string
  readonly status: number
  readonly value?: unknown
  readonly message?: string
}

/** The capacities of a member, their leases and its groups, or the reason why it did not answer. */
export type LeasesJson = { readonly member: string; readonly reason?: string } & Partial<Capacities>

/**
 * A group, as its starter and its members describe it. Without the answer of its starter there is
 * no `count`.
 */
export interface GroupJson {
  readonly group: string
  readonly program: string
  readonly starter: string
  readonly state: ListedStart['state']
  readonly count?: number
  readonly held: number
  readonly waits: number
  readonly refused?: number
  readonly ended?: number
  readonly members: readonly GroupMemberJson[]
}

/**
 * A member of a group, by rank. For a waiting member, `groups` and `leases` hold the capacity for
 * which it waits.
 */
export interface GroupMemberJson {
  readonly member: string
  readonly state: ListedRank['state']
  readonly rank?: number
  readonly of?: number
  readonly groups?: readonly string[]
  readonly leases?: readonly number[]
}

/**
 * A service. `status`: the state of a replicated service, as its primary describes it. With a
 * `refusal` the service takes no operations. `reason`: why the primary did not answer.
 */
export interface ServiceJson extends ServiceInfo {
  readonly status?: Pick<ReplicaStatus, 'epoch' | 'backups' | 'operations' | 'refusal'>
  readonly reason?: string
}

/** An event of a watch, except a sample. */
type Unsampled = MemberEvent | Exclude<WatchEvent, { type: 'sample' }>

/** The id of a command, echoed in its answer. */
export type CommandId = string | number

/** Bytes of a member: base64, and the same as text if they are UTF-8. */
interface PayloadJson {
  readonly payload: string
  readonly payloadText?: string
}

/**
 * The events of `jel join` as `--json` writes them. The writer adds time (Unix milliseconds) and
 * pool.
 */
export type NodeEvent =
  | { readonly event: 'started'; readonly node: NodeJson }
  | { readonly event: 'joined' | 'left' | 'died' | 'updated'; readonly node: NodeJson }
  | ({ readonly event: 'elected'; readonly re?: CommandId } & ReignJson)
  /** The reign, confirmed by a majority of the voters. Null: nobody reigns. */
  | {
      readonly event: 'confirmed'
      readonly election: string
      readonly epoch: number | null
      readonly winner: NodeJson | null
      readonly re?: CommandId
    }
  /** A message of a member, at one index of the ledger. */
  | ({ readonly event: 'ordered'; readonly index: number; readonly name: string; readonly node: NodeJson } & PayloadJson)
  /** The index of a message of this node in the ledger. */
  | { readonly event: 'placed'; readonly index: number; readonly re?: CommandId }
  /**
   * The state of the ledger: after a change of its state, leader or voters, and in answer to
   * `ledger`.
   */
  | ({ readonly event: 'ledger'; readonly re?: CommandId } & LedgerJson)
  | { readonly event: 'signal'; readonly name: string; readonly node: NodeJson }
  /** An event that a member sent to all members. */
  | ({ readonly event: 'event'; readonly name: string; readonly node: NodeJson } & PayloadJson)
  /**
   * A query of a member. The session that gave the command `answer` may answer. Its command `reply`
   * repeats the number `query`.
   */
  | ({ readonly event: 'query'; readonly query: number; readonly name: string; readonly node: NodeJson } & PayloadJson)
  /** This node sent a query to this many members. Their replies follow. */
  | { readonly event: 'asked'; readonly members: number; readonly re?: CommandId }
  /** A member's answer to a query of this node. */
  | ({ readonly event: 'reply'; readonly node: NodeJson; readonly re?: CommandId } & PayloadJson)
  | { readonly event: 'poolClosed'; readonly size: number }
  /** `by` is the id of the member that terminated the pool. `at` is the time, Unix ms. */
  | { readonly event: 'terminated'; readonly by: string; readonly at: number }
  | ({ readonly event: 'health'; readonly re?: CommandId } & HealthJson)
  | { readonly event: 'members'; readonly nodes: readonly ListedJson[]; readonly re?: CommandId }
  | ({ readonly event: 'status'; readonly re?: CommandId } & StatusJson)
  | { readonly event: 'links'; readonly links: readonly LinkJson[]; readonly re?: CommandId }
  | { readonly event: 'info'; readonly members: readonly AttributesJson[]; readonly re?: CommandId }
  /** A sample that the command `watch` asked for. */
  | ({ readonly event: 'sample'; readonly member: string; readonly re?: CommandId } & Omit<
      Extract<WatchEvent, { type: 'sample' }>,
      'type' | 'member'
    >)
  /** Why samples of a watched member are missing. */
  | ({ readonly event: 'unsampled'; readonly member: string; readonly why: Unsampled['type']; readonly re?: CommandId } & Partial<
      Record<'name' | 'code' | 'message' | 'reason', string> & Record<'time' | 'count', number>
    >)
  /**
   * Members that meet a condition. `score`: the value of the expression `rank` at a member.
   * `conditions` has the number of members for each part of the condition.
   */
  | {
      readonly event: 'selected'
      readonly nodes: readonly (NodeJson & { readonly score?: number })[]
      readonly considered: number
      readonly matching: number
      readonly conditions: readonly ConditionCount[]
      /** The placement of a pattern. `slowest` is the slowest edge, in ms and bytes a second. */
      readonly placed?: {
        readonly slowest?: { readonly nodes: readonly string[]; readonly roundTrip: number; readonly bandwidth: number }
        readonly isBest: boolean
        readonly unknown: readonly { readonly nodes: readonly string[]; readonly reason: string }[]
      }
      readonly re?: CommandId
    }
  /** A lease that this node holds. The times are spans from now, ms. */
  | ({
      readonly event: 'lease'
      readonly amounts: Readonly<Record<string, number>>
      readonly startsIn: number
      readonly endsIn: number
      readonly re?: CommandId
    } & Token)
  | { readonly event: 'leases'; readonly members: readonly LeasesJson[]; readonly re?: CommandId }
  | { readonly event: 'groups'; readonly groups: readonly GroupJson[]; readonly re?: CommandId }
  | { readonly event: 'services'; readonly services: readonly ServiceJson[]; readonly re?: CommandId }
  /** The result of a call of a service. */
  | { readonly event: 'called'; readonly result: unknown; readonly re?: CommandId }
  /** Text that a rank of a group has written. */
  | {
      readonly event: 'rankOutput'
      readonly rank: number
      readonly stream: 'stdout' | 'stderr'
      readonly text: string
      readonly re?: CommandId
    }
  /** A group has ended: the end of each rank. */
  | { readonly event: 'ran'; readonly ranks: readonly RankEndJson[]; readonly re?: CommandId }
  | ({ readonly event: 'record' } & RecordJson)
  | { readonly event: 'records'; readonly records: readonly RecordJson[]; readonly re?: CommandId }
  /** `members` has the results at all members, this node first, if the command was for all. */
  | {
      readonly event: 'keys'
      readonly keys: readonly PoolKeyInfo[]
      readonly members?: readonly MemberResultJson[]
      readonly re?: CommandId
    }
  /** The nodes that may connect to this node. Null: every node may. `members` as in `keys`. */
  | {
      readonly event: 'allowed'
      readonly nodes: readonly string[] | null
      readonly fingerprint: string | null
      readonly members?: readonly MemberResultJson[]
      readonly re?: CommandId
    }
  /** The stream is at this local socket. The socket takes one connection. */
  | { readonly event: 'opened'; readonly path: string; readonly re?: CommandId }
  | { readonly event: 'done'; readonly re: CommandId }
  /** Advice about a command that goes on. */
  | { readonly event: 'notice'; readonly code: string; readonly message: string; readonly re?: CommandId }
  | { readonly event: 'error'; readonly code: string; readonly message: string; readonly re?: CommandId }
  /** A task that runs at this node printed text. */
  | OutputEvent
  /** The jobs of the pool, with the work on them. */
  | (JobsEvent & { readonly re?: CommandId })
  /** The address of the node's page, metrics and health. */
  | { readonly event: 'http'; readonly url: string }
  /** The addresses of the page that makes a browser tab a member. */
  | { readonly event: 'web'; readonly urls: readonly string[] }
  | { readonly event: 'stopped'; readonly re?: CommandId }

/** The answers to a command. */
export type Answer = NodeEvent | (JobEvent & { readonly re?: CommandId })

/**
 * `expires` is Unix milliseconds. `value` is base64, or null if the record was withdrawn or
 * evicted, or ended while the node was away. `valueText` is the value as text, if it is UTF-8.
 */
interface RecordJson {
  readonly name: string
  readonly owner: string
  readonly version: number
  readonly expires: number
  readonly value: string | null
  readonly valueText?: string
}

/**
 * A link to the member `id`. `roundTrip`: the duration of the last probe, ms, if this node probes
 * the member.
 */
interface LinkJson {
  readonly id: string
  readonly roundTrip?: number
}

/**
 * `started`: the time at which the node entered, Unix ms; `memory`: resident, bytes; `processor`:
 * seconds so far.
 */
interface StatusJson {
  readonly node: NodeJson
  readonly version: string
  readonly started: number
  readonly members: number
  readonly reigns: readonly ReignJson[]
  readonly health: HealthJson
  readonly pid: number
  readonly memory: number
  readonly processor: number
  /** The ledger of the pool, if this node takes part in one. */
  readonly ledger?: LedgerJson
  /** The address of the node's page, if it has one. */
  readonly http?: string
}

export interface HealthJson {
  readonly links: number
  readonly members: number
  readonly suspectedShare: number
  /** The number of members that others can reach, but this node can't. */
  readonly relayed: number
  readonly alone: boolean
  readonly minority: boolean
  readonly introducers: readonly { readonly address: string; readonly reason: string }[]
}

export function nodeJson({ id, incarnation, addresses, location, tag, reach, joinedAt, rank, index }: Member): NodeJson {
  const tagText = utf8Text(tag)
  return {
    id,
    incarnation,
    addresses,
    location,
    tag: base64(tag),
    ...(tagText !== undefined && { tagText }),
    reach,
    joinedAt,
    ...(rank !== undefined && { rank }),
    ...(index !== undefined && { index }),
  }
}

/** Returns the output event for an event of a watch. */
export function watchEvent(event: WatchEvent | MemberEvent): Answer & NodeEvent {
  if (event.type !== 'sample') {
    const { type, ...rest } = event
    return { event: 'unsampled', why: type, ...rest }
  }
  const { type: _, ...sample } = event
  return { event: 'sample', ...sample }
}

export function reignJson({ election, epoch, winner }: Reign): ReignJson {
  return { election, epoch, node: nodeJson(winner) }
}

export function electedEvent(reign: Reign): NodeEvent & { readonly event: 'elected' } {
  return { event: 'elected', ...reignJson(reign) }
}

export function healthJson({ links, members, suspectedShare, relayed, alone, minority, introducers }: Health): HealthJson {
  return { links, members, suspectedShare, relayed, alone, minority, introducers }
}

export function healthEvent(health: Health): NodeEvent {
  return { event: 'health', ...healthJson(health) }
}

export function recordJson({ name, owner, version, expires, value }: PoolRecord): RecordJson {
  if (value === undefined) return { name, owner, version, expires, value: null }
  const valueText = utf8Text(value)
  return { name, owner, version, expires, value: base64(value), ...(valueText !== undefined && { valueText }) }
}

export function payloadJson(payload: Uint8Array): PayloadJson {
  const payloadText = utf8Text(payload)
  return { payload: base64(payload), ...(payloadText !== undefined && { payloadText }) }
}

export function base64(bytes: Uint8Array): string {
  return toString(bytes, 'base64pad')
}

/** Returns the field `re`. Without an id there is no field. */
export function withRe(re: CommandId | undefined): { re?: CommandId } {
  return re === undefined ? {} : { re }
}

/** Returns an event as a line of `--json` and of the control socket, without the line's end. */
export function jsonLine({ event, ...rest }: { readonly event: string }, pool: string): string {
  return jsonText({ event, time: Date.now(), pool, ...rest })
}
