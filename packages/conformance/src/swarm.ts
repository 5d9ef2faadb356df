import type { Milliseconds, NodeId } from '@jel/protocol'

/** A member, with the fields that the suite compares. */
export interface SwarmMember {
  readonly id: NodeId
  readonly incarnation: number
  readonly location: string
  readonly tag: Uint8Array
}

/** A reign, with the fields that the suite compares. */
export interface SwarmReign {
  readonly election: string
  readonly epoch: number
  readonly winner: SwarmMember
}

/** A record, with the fields that the suite compares. */
export interface SwarmRecord {
  readonly name: string
  readonly owner: NodeId
  readonly version: number
  /** Undefined if the record was withdrawn. */
  readonly value: Uint8Array | undefined
}

/** A job of the suite. Its root task starts `tasks` tasks. The result of the job is `tasks`. */
export interface SwarmJob {
  readonly name: string
  readonly tasks: number
  /** The time that each task takes, ms. */
  readonly time: Milliseconds
}

/** An event for the application of a node. */
export type SwarmEvent =
  | { readonly type: 'joined' | 'left' | 'died' | 'updated'; readonly member: SwarmMember }
  | { readonly type: 'elected'; readonly reign: SwarmReign }
  | { readonly type: 'signal'; readonly name: string; readonly from: SwarmMember }
  | { readonly type: 'record'; readonly record: SwarmRecord }
  | { readonly type: 'event'; readonly name: string; readonly payload: Uint8Array; readonly from: SwarmMember }

/** One node under test. Its operations may reject after its end. */
export interface SwarmNode {
  readonly id: NodeId
  /** All events of the node so far, in order, from its own join on. The array grows. */
  readonly events: readonly SwarmEvent[]
  /** Returns the view of the node. */
  members(): Promise<readonly SwarmMember[]>
  /**
   * Nominates the node and waits for a result. An abort before the result withdraws the candidacy.
   */
  elect(election: string, options?: { readonly signal?: AbortSignal }): Promise<SwarmReign>
  /** Waits for a result without a nomination. */
  result(election: string, options?: { readonly signal?: AbortSignal }): Promise<SwarmReign>
  /** Withdraws the candidacy of the node. */
  withdraw(election: string): Promise<void>
  /** Hints that a member may be dead. */
  maybeDead(id: NodeId): Promise<void>
  /** Sends a signal to these members. Resolves when all have acknowledged it. */
  signal(name: string, ids: readonly NodeId[]): Promise<void>
  /**
   * Publishes a record of the node, with a lifetime of `ttl` ms. Resolves when the node holds it.
   */
  publish(name: string, value: Uint8Array, ttl: Milliseconds): Promise<void>
  /** Withdraws a record of the node. */
  unpublish(name: string): Promise<void>
  /** The records that the node holds. */
  records(prefix?: string): Promise<readonly SwarmRecord[]>
  /** Changes the tag of the node. Resolves when the node has it. */
  setTag(tag: Uint8Array): Promise<void>
  /** Sends an event to all members once. */
  broadcast(name: string, payload: Uint8Array): Promise<void>
  /** Submits a job. Resolves as soon as the job would survive the end of the node. */
  submit(job: SwarmJob): Promise<void>
  /**
   * Waits for the result of a job that the node may not know yet. Rejects if the job ended without
   * a result.
   */
  jobResult(name: string): Promise<number>
  /** Cancels a job that the node submitted. */
  cancelJob(name: string): Promise<void>
  /** Leaves gracefully. Resolves when the node has stopped. */
  leave(): Promise<void>
  /**
   * Ends the node without notice: its process ends, its kernel closes its sockets, and its address
   * refuses connections.
   */
  kill(): Promise<void>
  /**
   * Stops the process of the node. The kernel still accepts connections. The process does nothing.
   */
  pause(): Promise<void>
  /** Continues a paused process. */
  resume(): Promise<void>
  /**
   * Takes the machine of the node off the network. The network drops all of its packets silently:
   * nobody gets an RST.
   */
  silence(): Promise<void>
  /**
   * Subscribes to the membership changes of the node: first a snapshot, then later changes. The
   * array grows.
   */
  watch(): Promise<readonly SwarmEvent[]>
}

/** Options of a node. */
export interface SwarmSpawnOptions<Node = SwarmNode> {
  /** The nodes whose addresses the new node gets. Without introducers the node founds a pool. */
  readonly introducers?: readonly Node[]
  readonly location?: string
  readonly tag?: Uint8Array
  /** True if the node runs tasks, and submits jobs. Default: false. */
  readonly computes?: boolean
  /** Starts the node with the identity of an ended node, as if from that node's identity file. */
  readonly identityOf?: Node
}

/**
 * A set of nodes that can reach one another. Their time is virtual or real. The suite starts no
 * timers of its own.
 */
export interface Swarm<Node extends SwarmNode = SwarmNode> {
  /**
   * Starts a node of the pool. Resolves when the node answers requests. The node may enter the pool
   * later.
   */
  spawn(options?: SwarmSpawnOptions<Node>): Promise<Node>
  /**
   * Lets time pass until the condition holds, and returns the time that passed, ms. Rejects after
   * `limit` ms. Checks the condition every few milliseconds.
   */
  within(limit: Milliseconds, condition: () => boolean): Promise<Milliseconds>
  /** Lets this time pass, ms. */
  pass(time: Milliseconds): Promise<void>
  /** Splits the network: only nodes of one group reach each other. */
  partition(groups: readonly (readonly Node[])[]): Promise<void>
  /** Ends all partitions. */
  heal(): Promise<void>
  /** Gives a node the address of another, as discovery on a local network does. */
  introduce(node: Node, other: Node): Promise<void>
  /** Ends all nodes and frees their resources. */
  close(): Promise<void>
}

/** A feature that a swarm may lack. */
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
  | 'jobs'
  /** Time for cases that take more than half a minute. */
  | 'slow'
