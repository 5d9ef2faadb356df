import type { Milliseconds } from '@jel/protocol'

/**
 * gossipsub's parameters, with their usual names in brackets and the values that the overlay sets
 * (packages/overlay/src/host/gossipsub.ts).
 */
export interface GossipOptions {
  /** The number of neighbours to which each message is forwarded in full (D). */
  readonly degree: number
  /** Below this many neighbours the next heartbeat grafts more (Dlo). */
  readonly degreeMin: number
  /**
   * Above this many neighbours a heartbeat prunes some. With this many a node refuses grafts from
   * peers that dialled it (Dhi).
   */
  readonly degreeMax: number
  /** Of the kept neighbours, so many were dialled by the node itself (Dout). */
  readonly degreeOut: number
  /** Of the kept neighbours, so many have the best scores (Dscore). */
  readonly degreeScore: number
  /**
   * The neighbours outside the mesh that receive IHAVE at each heartbeat: at least this number, or
   * this share (Dlazy, gossipFactor).
   */
  readonly lazy: number
  readonly lazyShare: number
  readonly heartbeat: Milliseconds
  /**
   * The heartbeats for which a message is announced, and for which it can be requested
   * (mcacheGossip, mcacheLength).
   */
  readonly toldFor: number
  readonly keptFor: number
  /** The time without a graft after a prune (pruneBackoff). */
  readonly backoff: Milliseconds
  /**
   * A receiver of a message of at least this size sends IDONTWANT to its mesh at once
   * (idontwantMinDataSize).
   */
  readonly dontWantFrom: number
  /** How long a message is remembered as seen (seenTTL). */
  readonly seenFor: Milliseconds
  /**
   * One-way delays from link-up until the node has sent its subscription, on a stream opened for
   * it.
   */
  readonly subscribeDelays: number
  /**
   * The share of copies that are lost, 0 to 1, by an overflowing queue or a broken stream. Lazy
   * gossip repairs the loss.
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
