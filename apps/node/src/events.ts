import type { Health, Member, PoolRecord, Reign } from '@jel/jel'

/** A node as it is written in JSON. `tag` is base64. */
export interface NodeJson {
  readonly id: string
  readonly incarnation: number
  readonly addresses: readonly string[]
  readonly location: string
  readonly tag: string
}

/** The id of a command, echoed in its answer. */
export type CommandId = string | number

/** What `jel join` tells, in the form in which `--json` writes it; time (Unix milliseconds) and pool are added by the writer. */
export type NodeEvent =
  | { readonly event: 'started'; readonly node: NodeJson }
  | { readonly event: 'joined' | 'left' | 'died' | 'updated'; readonly node: NodeJson }
  | { readonly event: 'elected'; readonly election: string; readonly epoch: number; readonly node: NodeJson; readonly re?: CommandId }
  | { readonly event: 'signal'; readonly name: string; readonly node: NodeJson }
  | ({ readonly event: 'health' } & HealthJson)
  | { readonly event: 'members'; readonly nodes: readonly NodeJson[]; readonly re?: CommandId }
  | ({ readonly event: 'record' } & RecordJson)
  | { readonly event: 'records'; readonly records: readonly RecordJson[]; readonly re?: CommandId }
  | { readonly event: 'done'; readonly re: CommandId }
  | { readonly event: 'error'; readonly code: string; readonly message: string; readonly re?: CommandId }
  | { readonly event: 'stopped'; readonly re?: CommandId }

/** `expires` is Unix milliseconds, `value` base64; null: it was withdrawn, or made way for others. */
interface RecordJson {
  readonly name: string
  readonly owner: string
  readonly version: number
  readonly expires: number
  readonly value: string | null
}

interface HealthJson {
  readonly links: number
  readonly members: number
  readonly suspectedShare: number
  /** Members that only others can reach. */
  readonly relayed: number
  readonly alone: boolean
  readonly minority: boolean
  readonly introducers: readonly { readonly address: string; readonly reason: string }[]
}

export function nodeJson({ id, incarnation, addresses, location, tag }: Member): NodeJson {
  return { id, incarnation, addresses, location, tag: Buffer.from(tag).toString('base64') }
}

export function electedEvent({ election, epoch, winner }: Reign, re?: CommandId): NodeEvent {
  return { event: 'elected', election, epoch, node: nodeJson(winner), ...withRe(re) }
}

export function healthEvent({ links, members, suspectedShare, relayed, alone, minority, introducers }: Health): NodeEvent {
  return { event: 'health', links, members, suspectedShare, relayed, alone, minority, introducers }
}

export function recordJson({ name, owner, version, expires, value }: PoolRecord): RecordJson {
  return { name, owner, version, expires, value: value === undefined ? null : Buffer.from(value).toString('base64') }
}

/** An absent id is left out, not written as null. */
export function withRe(re: CommandId | undefined): { re?: CommandId } {
  return re === undefined ? {} : { re }
}
