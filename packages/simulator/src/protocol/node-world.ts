import type { Milliseconds, Notification } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import type { EndpointFields } from '../network/endpoint.ts'
import type { Gossip } from '../network/gossip.ts'
import type { Network } from '../network/network.ts'
import type { History } from './history.ts'

/** A notification and its virtual time. */
export interface News {
  readonly time: Milliseconds
  readonly notification: Notification
}

/** The surroundings of a node. */
export interface NodeWorld {
  readonly clock: VirtualClock
  readonly network: Network
  readonly gossip: Gossip
  readonly history: History
  /** Whether each node keeps its notifications. */
  readonly keepsNews: boolean
  /** Called when the node of that number is notified. */
  noticed(node: number, notification: Notification): void
  /** Called when the node stands still, and when it goes on. */
  stood(node: number): void
}

export interface NodeFields extends Omit<EndpointFields, 'traffic' | 'events'> {
  readonly storedIncarnation: number
  readonly startedAt: Milliseconds
  /** It follows the protocol. Nothing is promised to a node that does not. */
  readonly honest: boolean
  /** The lead of its clock over virtual time: nodes don't share a zero point. */
  readonly clockOffset: Milliseconds
}
