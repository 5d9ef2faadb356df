import type { Milliseconds } from '@jel/protocol'

/** gossipsub's parameters, by their usual names in brackets, with the values that the overlay sets (packages/overlay/src/host/gossipsub.ts). */
export interface GossipOptions {
  /** Neighbours to which each message is forwarded in full (D). */
  readonly degree: number
  /** Below this many the next heartbeat takes on more (Dlo). */
  readonly degreeMin: number
  /** Above this many it lets some go; who has so many refuses those that dialled it (Dhi). */
  readonly degreeMax: number
  /** Of those kept, so many were dialled by the node itself (Dout). */
  readonly degreeOut: number
  /** Of those kept, so many are the best known (Dscore). */
  readonly degreeScore: number
  /** Neighbours outside the mesh that hear at each heartbeat what messages there are: at least so many, or this share (Dlazy, gossipFactor). */
  readonly lazy: number
  readonly lazyShare: number
  readonly heartbeat: Milliseconds
  /** Heartbeats for which a message is told of, and for which it can be asked for (mcacheGossip, mcacheLength). */
  readonly toldFor: number
  readonly keptFor: number
  /** No graft for so long after a prune (pruneBackoff). */
  readonly backoff: Milliseconds
  /** Who gets a message of at least so many bytes tells its mesh at once that it has it (idontwantMinDataSize). */
  readonly dontWantFrom: number
  /** How long a message is remembered as seen (seenTTL). */
  readonly seenFor: Milliseconds
  /** One-way delays after a link is up until the node has told its subscription: a stream is opened for it. */
  readonly subscribeDelays: number
  /** Share of the copies that get lost, 0 to 1: a queue that overflowed, a stream that broke. Lazy gossip repairs them. */
  readonly loss: number
}

export const defaultGossip: GossipOptions = {
  // gossipsub.ts
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
