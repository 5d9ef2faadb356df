import type { Milliseconds } from '@jel/protocol'

/**
 * gossipsub's parameters, with their usual names in brackets and the values that the overlay sets
 * (packages/overlay/src/host/gossipsub.ts).
 */
export interface GossipOptions {
  /** A node forwards each message in full to this number of neighbours (D). */
  readonly degree: number
  /** Below this many neighbours the next heartbeat grafts more (Dlo). */
  readonly degreeMin: number
  /**
   * Above this many neighbours a heartbeat prunes some. With this many a node refuses grafts from
   * peers that dialled it (Dhi).
   */
  readonly degreeMax: number
  /** A prune keeps at least this many neighbours that the node itself dialled (Dout). */
  readonly degreeOut: number
  /** A prune keeps this many neighbours with the best scores (Dscore). */
  readonly degreeScore: number
  /**
   * At each heartbeat IHAVE goes to this number of neighbours outside the mesh, or to this share of
   * them if that is more (Dlazy, gossipFactor).
   */
  readonly lazy: number
  readonly lazyShare: number
  readonly heartbeat: Milliseconds
  /**
   * A node announces a message for `toldFor` heartbeats, and sends it on request for `keptFor`
   * heartbeats (mcacheGossip, mcacheLength).
   */
  readonly toldFor: number
  readonly keptFor: number
  /** A peer may not graft for this time after a prune (pruneBackoff). */
  readonly backoff: Milliseconds
  /**
   * A receiver of a message of at least this size sends IDONTWANT to its mesh at once
   * (idontwantMinDataSize).
   */
  readonly dontWantFrom: number
  /** A node remembers a message as seen for this time (seenTTL). */
  readonly seenFor: Milliseconds
  /** A node sends its subscription this many one-way delays after link-up, on a new stream. */
  readonly subscribeDelays: number
  /**
   * The share of copies that overflowing queues and broken streams lose, 0 to 1. Lazy gossip
   * repairs the loss.
   */
  readonly loss: number
}

export const defaultGossip: GossipOptions = {
  // From gossipsub.ts.
  degree: 4,
  degreeMin: 3,
  degreeMax: 6,
  degreeOut: 1,
  degreeScore: 2,
  lazy: 2,
  heartbeat: 2_000,
  seenFor: 60_000,
  // Defaults of @libp2p/gossipsub 17.1.
  lazyShare: 0.25,
  toldFor: 3,
  keptFor: 5,
  backoff: 60_000,
  dontWantFrom: 512,
  subscribeDelays: 2,
  loss: 0,
}
