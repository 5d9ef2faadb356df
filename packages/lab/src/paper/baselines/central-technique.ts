import type { Milliseconds } from '@jel/protocol'
import type { MemberList } from './member-list.ts'

/** How the central implementation disseminates events, with the settings of the original. */
export interface CentralTechnique {
  readonly dissemination: 'serial' | 'tree' | 'gossip'
  /** Newcomers get the state of the pool from other nodes (§5.1.2). */
  readonly peerBootstrap: boolean
  /** The server seeds log2(pool size) times as often (§5.1.4). */
  readonly adaptive: boolean
  createMemberList(): MemberList
  /** Number of peers that a newcomer gets. IPL: 25. */
  readonly bootstrapPeers: number
  /** Connections that the server opens at once to push. IPL: 25. */
  readonly serverThreads: number
  /** The same for an inner node of the tree. IPL: 10. */
  readonly nodeThreads: number
  /** IPL: 1 s. */
  readonly gossipInterval: Milliseconds
  /** Time after which the server goes through all nodes with any technique. IPL: 30 s. */
  readonly fallbackInterval: Milliseconds
  /** Time after which nodes of the tree ask their children even when nothing is new. IPL: 1 s. */
  readonly treeInterval: Milliseconds
  /** The paper: 120 s. */
  readonly heartbeatInterval: Milliseconds
  /** IPL: 10 s. */
  readonly serverConnectTimeout: Milliseconds
  /** IPL: 300 s. */
  readonly nodeConnectTimeout: Milliseconds
}
