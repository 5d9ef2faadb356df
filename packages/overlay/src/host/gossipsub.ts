/**
 * The pool's gossipsub topic: quick and unreliable. What gets lost is repaired by the protocol's reconciliation.
 */
import { hash } from 'node:crypto'
import type { BroadcastVerdict } from '@jel/protocol'
import { StrictNoSign, TopicValidatorResult, gossipsub, type GossipSub, type GossipSubComponents } from '@libp2p/gossipsub'
import type { Connection } from '@libp2p/interface'
import type { Registrar } from '@libp2p/interface-internal'
import { Cache } from '../base/cache.ts'
import { RateLimiter } from './rate-limiter.ts'

/** Bytes that may wait for a slow reader before its stream is dropped: gossipsub has no other back-pressure. Guess. */
const maxQueuedBytes = 1_048_576

/** Messages a second that one peer is heard with; bursts of 10 s. Guess: what all publish while much changes in a large pool. */
const heardPerSecond = 100

/** Who sends more is sent away: an honest peer forwards what it heard, and it hears each of its dozen neighbours with 100. */
const floodPerSecond = 2_000

/** Peers for whom it is counted. Guess: above the connections that a host may have. */
const cachedLimiters = 2_048

/** A limiter that was not used for so long is full again, and forgotten, ms. Guess: it needs ten seconds. */
const limiterLifetime = 180_000

const verdicts = {
  accept: TopicValidatorResult.Accept,
  ignore: TopicValidatorResult.Ignore,
  reject: TopicValidatorResult.Reject,
} satisfies Record<BroadcastVerdict, TopicValidatorResult>

/** Scores that don't count: quiet topics and slow peers are no offence. The other values only have to be valid. */
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

/** `maxBytes`: of a message. */
export function router(topic: string, maxBytes: number): (components: GossipSubComponents) => GossipSub {
  return gossipsub({
    // Statements carry signatures of their own. A hash of the content tells a duplicate before anything else is done with it.
    globalSignaturePolicy: StrictNoSign,
    msgIdFn: ({ data }) => messageId(data),
    fastMsgIdFn: ({ data }) => messageId(data ?? new Uint8Array()).toString('latin1'),
    allowedTopics: [topic],
    emitSelf: false,
    floodPublish: false,
    fallbackToFloodsub: false,
    doPX: false,
    tagMeshPeers: false,
    // The first node of a pool talks to nobody, and that is no error.
    allowPublishToZeroTopicPeers: true,
    ignoreDuplicatePublishError: true,
    // The graph of links has a degree of about 8: well above Dhi, or some nodes end up without a mesh (measured).
    D: 4,
    Dlo: 3,
    Dhi: 6,
    Dout: 1,
    Dscore: 2,
    Dlazy: 2,
    // A new peer is grafted as soon as it subscribes; heartbeats only mend what broke. Guess: until then reconciliation fills in.
    heartbeatInterval: 2_000,
    // Memory of what was seen: far longer than any message travels.
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
      // The default empties the mesh as soon as more than ten peers share an address: a laboratory, a NAT, one machine (measured).
      IPColocationFactorWeight: 0,
      // Peers that were stopped for a moment break a few promises; that is no offence. Values as in Ethereum's consensus clients.
      behaviourPenaltyThreshold: 6,
      behaviourPenaltyDecay: 0.6,
      decayInterval: 5_000,
      retainScore: 60_000,
      // Only one thing is held against a peer: that it forwarded what its bytes alone prove wrong.
      topics: {
        [topic]: {
          topicWeight: 1,
          invalidMessageDeliveriesWeight: -10,
          invalidMessageDeliveriesDecay: 0.6,
          ...unused,
        },
      },
    },
  })
}

/** 128 bits: they travel in every IHAVE. One call of OpenSSL, 1 µs. */
function messageId(data: Uint8Array): Buffer {
  return hash('sha256', data, 'buffer').subarray(0, 16)
}

/** Messages of one peer. */
interface Limiters {
  readonly heard: RateLimiter
  readonly flood: RateLimiter
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
   * Takes part in the topic. Each message is judged once, when it first arrives; only what is accepted is forwarded. Who sends too many is
   * not heard for a while; whoever sends so many that nobody honest could `onFlood` is told of, for each message.
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
    const limiters = { heard: new RateLimiter(heardPerSecond), flood: new RateLimiter(floodPerSecond) }
    this.#limiters.put(peer, limiters)
    return limiters
  }

  /**
   * Tells gossipsub of a peer. It otherwise learns of peers from identify, which costs two streams, two signatures and 1.5 KB a link to
   * find out what an open link proves already: that both sides speak it.
   */
  introduce(connection: Connection): void {
    const [protocol] = this.#pubsub.protocols
    for (const topology of protocol === undefined ? [] : this.#registrar.getTopologies(protocol)) {
      void topology.onConnect?.(connection.remotePeer, connection)
    }
  }

  publish(data: Uint8Array): void {
    // Not being heard by anybody is normal; anything else that goes wrong here is repaired by reconciliation as well.
    this.#publishing = this.#pubsub.publish(this.#name, data).catch(() => {})
  }

  /** Resolves when everything published so far was handed to the connections. */
  async flushed(): Promise<void> {
    await this.#publishing
  }
}
