/**
 * The pool's gossipsub topic: quick and unreliable. The protocol's reconciliation repairs losses.
 */
import { sha256 } from '#platform/crypto'
import type { BroadcastVerdict } from '@jel/protocol'
import {
  StrictNoSign,
  TopicValidatorResult,
  gossipsub,
  type GossipSub,
  type GossipSubComponents,
  type GossipsubOpts,
} from '@libp2p/gossipsub'
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import type { Registrar } from '@libp2p/interface-internal'
import { toString } from 'uint8arrays'
import { Cache } from '../base/cache.ts'
import { boundPieces } from './frame-pieces.ts'
import { TokenBucket } from './token-bucket.ts'

/**
 * Bytes that may wait for a slow reader. If more wait, gossipsub drops the reader's stream. It has
 * no other back-pressure. Guess.
 */
const maxQueuedBytes = 1_048_576

/**
 * Messages per second that a node accepts from one peer. A burst may have ten times as many. Guess:
 * under heavy churn all members of a large pool together publish about 100 a second.
 */
const heardPerSecond = 100

/**
 * A node disconnects a peer that sends more messages per second than this, beyond a burst of ten
 * times as many. An honest peer forwards only messages that it accepted. It accepts 100 a second
 * from each of its dozen neighbours: 1,200 in all.
 */
const floodPerSecond = 2_000

/**
 * The largest number of peers whose messages a node counts. A host has at most half as many
 * connections.
 */
const cachedLimiters = 2_048

/**
 * A node forgets a limiter that has been unused for this time, ms. Guess. After ten seconds it has
 * all its tokens again, so it is no stricter than a new one.
 */
const limiterLifetime = 180_000

const verdicts = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
} satisfies Record<BroadcastVerdict, TopicValidatorResult>

/**
 * Scores that don't count: a quiet topic or a slow peer is no offence. Their weights are 0. Their
 * other parameters only have to be valid.
 */
const unused = {
  timeInMeshWeight: 0,
  timeInMeshQuantum: 1,
  timeInMeshCap: 1,
  firstMessageDeliveriesWeight: 0,
  firstMessageDeliveriesDecay: 0.5,
  firstMessageDeliveriesCap: 1,
  meshMessageDeliveriesWeight: 0,
  meshMessageDeliveriesDecay: 0.5,
  meshMessageDeliveriesCap: 1,
  meshMessageDeliveriesThreshold: 1,
  meshMessageDeliveriesWindow: 10,
  meshMessageDeliveriesActivation: 5_000,
  meshFailurePenaltyWeight: 0,
  meshFailurePenaltyDecay: 0.5,
} as const

/** The private part of the library's router that this file uses. */
interface Internals {
  createInboundStream?: (peer: unknown, stream: Stream) => void
  createOutboundStream?: (peer: PeerId, connection: Connection) => Promise<void>
}

/** `maxBytes`: the size of the largest message. */
export function router(topic: string, maxBytes: number): (components: GossipSubComponents) => GossipSub {
  const create = gossipsub(optionsOf(topic, maxBytes))
  return (components) => {
    const router = create(components)
    const internals = router as unknown as Internals
    const createStream = internals.createInboundStream?.bind(router)
    if (createStream)
      internals.createInboundStream = (peer, stream) => {
        boundPieces(stream)
        createStream(peer, stream)
      }
    const open = internals.createOutboundStream?.bind(router)
    if (open) internals.createOutboundStream = atOnce(open)
    return router
  }
}

/**
 * Returns a function that starts `open` and does not wait for its end. The library opens one stream
 * after the other, so a peer that answers nothing would delay the streams to all others by ten
 * seconds each time. The function opens one stream to a peer at a time. Of the connections that
 * come meanwhile, only the latest one gets a stream.
 */
export function atOnce(
  open: (peer: PeerId, connection: Connection) => Promise<void>,
): (peer: PeerId, connection: Connection) => Promise<void> {
  const waiting = new Map<string, Connection | undefined>()
  return async (peer, connection) => {
    const id = peer.toString()
    if (waiting.has(id)) {
      waiting.set(id, connection)
      return
    }
    const openAll = async (): Promise<void> => {
      for (let next: Connection | undefined = connection; next !== undefined; next = waiting.get(id)) {
        waiting.set(id, undefined)
        await open(peer, next).catch(() => {})
      }
      waiting.delete(id)
    }
    void openAll()
  }
}

function optionsOf(topic: string, maxBytes: number): Partial<GossipsubOpts> {
  return {
    // Statements carry signatures of their own. The hash of the content identifies a duplicate
    // before any other work.
    globalSignaturePolicy: StrictNoSign,
    msgIdFn: ({ data }) => messageId(data),
    fastMsgIdFn: ({ data }) => toString(messageId(data ?? new Uint8Array()), 'latin1'),
    allowedTopics: [topic],
    emitSelf: false,
    floodPublish: false,
    fallbackToFloodsub: false,
    doPX: false,
    tagMeshPeers: false,
    // The first node of a pool has no peers, and may publish all the same.
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    // The graph of links has a degree of about 12. That degree must be well above Dhi, or some
    // nodes end up without a mesh (measured).
    D: 4,
    Dlo: 3,
    Dhi: 6,
    Dout: 1,
    Dscore: 2,
    Dlazy: 2,
    // gossipsub grafts a new peer as soon as the peer subscribes. Heartbeats only mend broken
    // meshes. Guess: reconciliation repairs the losses before the next heartbeat.
    heartbeatInterval: 2_000,
    // The time for which gossipsub remembers a message as seen, ms: far longer than any message
    // travels.
    seenTTL: 60_000,
    maxInboundStreams: 2,
    maxOutboundStreams: 2,
    maxOutboundBufferSize: maxQueuedBytes,
    maxInboundDataLength: 4 * maxBytes, // an answer to IWANT holds several messages
    decodeRpcLimits: {
      maxSubscriptions: 16,
      maxMessages: 256,
      maxIhaveMessageIDs: 1_024,
      maxIwantMessageIDs: 1_024,
      maxIdontwantMessageIDs: 1_024,
      maxControlMessages: 64,
      maxPeerInfos: 0,
    },
    scoreParams: {
      // The default empties the mesh as soon as more than ten peers share an IP: in a laboratory,
      // behind a NAT, on one machine (measured).
      IPColocationFactorWeight: 0,
      // After a short stop of its process, a peer may fail to deliver messages that it offered
      // (gossipsub's broken promises). Up to six of them are no offence. The values are those of
      // Ethereum's consensus clients.
      behaviourPenaltyThreshold: 6,
      behaviourPenaltyDecay: 0.6,
      decayInterval: 5_000,
      retainScore: 60_000,
      // Of the topic's scores only one counts: a peer forwarded a message whose bytes prove that it
      // is invalid.
      topics: {
        [topic]: {
          topicWeight: 1,
          invalidMessageDeliveriesWeight: -10,
          invalidMessageDeliveriesDecay: 0.6,
          ...unused,
        },
      },
    },
  }
}

/** Returns 128 bits of the hash: a longer id would lengthen each IHAVE. The hash takes 1 µs. */
function messageId(data: Uint8Array): Uint8Array {
  return sha256(data).subarray(0, 16)
}

/** Rate limiters for the messages of one peer. */
interface Limiters {
  readonly heard: TokenBucket
  readonly flood: TokenBucket
}

export class Topic {
  readonly #name: string
  readonly #pubsub: GossipSub
  readonly #registrar: Registrar
  readonly #maxBytes: number
  readonly #limiters = new Cache<Limiters>(cachedLimiters, limiterLifetime)
  #publishing: Promise<unknown> = Promise.resolve()

  constructor(name: string, maxBytes: number, pubsub: GossipSub, registrar: Registrar) {
    this.#name = name
    this.#maxBytes = maxBytes
    this.#pubsub = pubsub
    this.#registrar = registrar
  }

  /**
   * Joins the topic. Judges each message once, when it first arrives, and forwards it only if
   * accepted. Ignores the surplus of a peer that sends too many messages. Calls `onFlood` for each
   * message beyond a rate that no honest peer reaches.
   */
  join(judge: (data: Uint8Array) => BroadcastVerdict, onFlood: (peer: string, problem: string) => void = () => {}): void {
    this.#pubsub.topicValidators.set(this.#name, (from, { data }) => {
      const peer = from.toString()
      const limiters = this.#limitersOf(peer)
      if (!limiters.flood.spend()) onFlood(peer, `more than ${floodPerSecond} broadcasts a second`)
      if (!limiters.heard.spend()) return TopicValidatorResult.Ignore
      return data.length > this.#maxBytes ? TopicValidatorResult.Reject : verdicts[judge(data)]
    })
    this.#pubsub.subscribe(this.#name)
  }

  #limitersOf(peer: string): Limiters {
    const known = this.#limiters.get(peer)
    if (known) return known
    const limiters = { heard: new TokenBucket(heardPerSecond), flood: new TokenBucket(floodPerSecond) }
    this.#limiters.put(peer, limiters)
    return limiters
  }

  /**
   * Introduces a linked peer to gossipsub. By default gossipsub learns of peers from the identify
   * protocol, at a cost of two streams, two signatures and 1.5 KB a link. An open link proves
   * already that both sides support the protocol.
   */
  introduce(connection: Connection): void {
    const [protocol] = this.#pubsub.protocols
    for (const topology of protocol === undefined ? [] : this.#registrar.getTopologies(protocol)) {
      void topology.onConnect?.(connection.remotePeer, connection)
    }
  }

  publish(data: Uint8Array): void {
    // Ignores a failure: reconciliation repairs the loss.
    this.#publishing = this.#pubsub.publish(this.#name, data).catch(() => {})
  }

  /**
   * Resolves when gossipsub has handed everything published so far to the connections. gossipsub
   * handles publications in order, so this method waits for the last one only.
   */
  async flushed(): Promise<void> {
    await this.#publishing
  }
}
