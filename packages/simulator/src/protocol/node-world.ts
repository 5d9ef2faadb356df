import type { Milliseconds, Notification } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
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
  /** The calendar time of all nodes, ms since 1970. */
  readonly today: () => Milliseconds
  /** Whether each node keeps its notifications. */
  readonly keepsNews: boolean
  /** Called for each notification to the node of that number. */
  noticed(node: number, notification: Notification): void
  /** Called when the node stops, and when it continues. */
  stood(node: number): void
}

export interface NodeFields extends Omit<EndpointFields, 'traffic' | 'events'> {
  readonly storedIncarnation: number
  readonly startedAt: Milliseconds
  /**
   * True if the node follows the protocol. The reported death of a node that does not follow it
   * never counts as false.
   */
  readonly honest: boolean
  /** The lead of the node's clock over virtual time, ms. Each node has its own zero point. */
  readonly clockOffset: Milliseconds
}
