import type { Milliseconds } from '@jel/protocol'
import type { MemberList } from './member-list.ts'

/**
 * A technique of the central implementation to disseminate events, with the original's settings.
 */
export interface CentralTechnique {
  readonly dissemination: 'serial' | 'tree' | 'gossip'
  /** True if newcomers get the state of the pool from other nodes (§5.1.2). */
  readonly peerBootstrap: boolean
  /** True if the server seeds log2(pool size) times as often (§5.1.4). */
  readonly adaptive: boolean
  createMemberList(): MemberList
  /** Number of peers that a newcomer gets. IPL: 25. */
  readonly bootstrapPeers: number
  /** Number of connections that the server opens at once to push events. IPL: 25. */
  readonly serverThreads: number
  /** Number of connections that an inner node of the tree opens at once. IPL: 10. */
  readonly nodeThreads: number
  /**
   * Mean interval between two exchanges of a node, and between two seeds of the server. IPL: 1 s.
   */
  readonly gossipInterval: Milliseconds
  /** Interval after which the server goes through all nodes, with any technique. IPL: 30 s. */
  readonly fallbackInterval: Milliseconds
  /**
   * Interval after which nodes of the tree contact their children even if there are no new events.
   * IPL: 1 s.
   */
  readonly treeInterval: Milliseconds
  /** Silence after which the server pings a node. Paper: 120 s. */
  readonly heartbeatInterval: Milliseconds
  /** Time within which the server must connect to a node. IPL: 10 s. */
  readonly serverConnectTimeout: Milliseconds
  /** Time within which a node must connect to another node or to the server. IPL: 300 s. */
  readonly nodeConnectTimeout: Milliseconds
}
