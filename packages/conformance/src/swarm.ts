import type { Milliseconds, NodeId } from '@jel/protocol'

/** A member as the suite compares them. */
export interface SwarmMember {
  readonly id: NodeId
  readonly incarnation: number
  readonly location: string
  readonly tag: Uint8Array
}

export interface SwarmReign {
  readonly election: string
  readonly epoch: number
  readonly winner: SwarmMember
}

/** A record as the suite compares them. */
export interface SwarmRecord {
  readonly name: string
  readonly owner: NodeId
  readonly version: number
  /** Undefined: it was withdrawn. */
  readonly value: Uint8Array | undefined
}

/** What a node's application is told. */
export type SwarmEvent =
  | { readonly type: 'joined' | 'left' | 'died' | 'updated'; readonly member: SwarmMember }
  | { readonly type: 'elected'; readonly reign: SwarmReign }
  | { readonly type: 'signal'; readonly name: string; readonly from: SwarmMember }
  | { readonly type: 'record'; readonly record: SwarmRecord }
  | { readonly type: 'event'; readonly name: string; readonly payload: Uint8Array; readonly from: SwarmMember }

/** One node under test. Operations after its end may reject. */
export interface SwarmNode {
  readonly id: NodeId
  /** All that it was told so far, in order, from its own join on. The array grows. */
  readonly events: readonly SwarmEvent[]
  /** Its view, asked for. */
  members(): Promise<readonly SwarmMember[]>
  /** Nominates it and waits for a result. An abort before there is one withdraws the candidacy. */
  elect(election: string, options?: { readonly signal?: AbortSignal }): Promise<SwarmReign>
  /** Waits for a result without nominating it. */
  result(election: string, options?: { readonly signal?: AbortSignal }): Promise<SwarmReign>
  withdraw(election: string): Promise<void>
  maybeDead(id: NodeId): Promise<void>
  /** Resolves when all have acknowledged it. */
  signal(name: string, ids: readonly NodeId[]): Promise<void>
  /** Publishes a record of its own for so long. Resolves when the node holds it. */
  publish(name: string, value: Uint8Array, ttl: Milliseconds): Promise<void>
  unpublish(name: string): Promise<void>
  /** The records that it knows. */
  records(prefix?: string): Promise<readonly SwarmRecord[]>
  /** Says something else of itself. Resolves when the node has it. */
  setTag(tag: Uint8Array): Promise<void>
  /** Tells all members something once. */
  broadcast(name: string, payload: Uint8Array): Promise<void>
  /** Leaves gracefully. Resolves when the node has stopped. */
  leave(): Promise<void>
  /** Ends it without a word: the process is gone, its sockets are closed, its address refuses. */
  kill(): Promise<void>
  /** Stops its process: the kernel goes on accepting, nothing else happens. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Takes its machine off the network: nothing comes through, nothing is refused. */
  silence(): Promise<void>
  /** Subscribes to its membership changes now: a snapshot, then what happens. The array grows. */
  watch(): Promise<readonly SwarmEvent[]>
}

export interface SwarmSpawnOptions {
  /** Whose addresses it is given. None: it founds a pool. */
  readonly introducers?: readonly SwarmNode[]
  readonly location?: string
  readonly tag?: Uint8Array
  /** Starts it under the identity of a node that has ended, as from its identity file. */
  readonly identityOf?: SwarmNode
}

/**
 * A set of nodes that can reach one another, and the time in which they live: virtual or real. The suite starts no timers of
 * its own.
 */
export interface Swarm {
  /** Starts a node of the pool. Resolves when it can be asked something, which may be before it has entered. */
  spawn(options?: SwarmSpawnOptions): Promise<SwarmNode>
  /** Lets time pass until the condition holds, and returns how much; rejects after `limit`. Looks every few milliseconds. */
  within(limit: Milliseconds, condition: () => boolean): Promise<Milliseconds>
  /** Lets time pass. */
  pass(time: Milliseconds): Promise<void>
  /** Splits the network: only nodes of one group reach each other. */
  partition(groups: readonly (readonly SwarmNode[])[]): Promise<void>
  heal(): Promise<void>
  /** Tells a node where another is, as finding it on the local network would. */
  introduce(node: SwarmNode, other: SwarmNode): Promise<void>
  /** Ends all nodes and frees what they held. */
  close(): Promise<void>
}

/** What a swarm may be unable to do. */
export type SwarmFeature =
  | 'kill'
  | 'pause'
  | 'silence'
  | 'partition'
  | 'introduce'
  | 'identity'
  | 'withdraw'
  | 'abort'
  | 'watch'
  /** Cases that take more than half a minute. */
  | 'slow'
