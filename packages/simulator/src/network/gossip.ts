import { pickSome, type Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import { contentHash } from '../engine/digest.ts'
import type { Endpoint } from './endpoint.ts'
import { GossipMessage } from './gossip-message.ts'
import type { Network } from './network.ts'

export interface GossipOptions {
  /** Neighbours to which each message is forwarded in full. */
  readonly degree: number
  /** More than this many no node takes on. */
  readonly degreeMax: number
  /** Share of the copies that get lost, 0 to 1. */
  readonly loss: number
  /** What is published when a link is younger than this does not cross it: the peer's subscription is not known yet. */
  readonly deafFor: Milliseconds
  /** How long a message is remembered as seen. */
  readonly seenFor: Milliseconds
}

export const defaultGossip: GossipOptions = {
  degree: 4,
  degreeMax: 12, // gossipsub's Dhi
  loss: 0,
  deafFor: 50, // measured: of 12 messages published right after a dial 0 arrived, 10 after 20 ms, all after 50 ms
  seenFor: 120_000, // gossipsub's seenTTL
}

/**
 * A model of gossipsub: a mesh chosen among the links, in which each message is forwarded in full, and duplicates known by
 * their content. Where the mesh is thinner than it should be, messages go over other links as well.
 */
export class Gossip {
  readonly #clock: VirtualClock
  readonly #network: Network
  readonly #random: () => number
  readonly #options: GossipOptions
  /** In the order of publishing, which is also that of expiry. */
  readonly #messages = new Map<number, GossipMessage>()

  constructor(clock: VirtualClock, network: Network, random: () => number, options: Partial<GossipOptions> = {}) {
    this.#clock = clock
    this.#network = network
    this.#random = random
    this.#options = { ...defaultGossip, ...options }
  }

  publish(from: Endpoint, data: Uint8Array): void {
    const message = this.#message(data)
    if (message.firstSeenBy(from.index)) this.forward(from, message)
  }

  /** Hands the message to the mesh of this node; not back to where it came from. */
  forward(from: Endpoint, message: GossipMessage, source?: Endpoint): void {
    let copies = 0
    for (const peer of from.mesh.values()) {
      if (peer !== source && this.#copy(from, peer, message)) copies += 1
    }
    const missing = this.#options.degree - copies
    if (missing <= 0 || from.connections.size <= from.mesh.size) return
    const others = this.#neighbours(from).filter((peer) => peer !== source && !from.mesh.has(peer.id))
    for (const peer of pickSome(this.#random, others, missing)) this.#copy(from, peer, message)
  }

  linkUp(endpoint: Endpoint, peer: Endpoint): void {
    const bothSee = endpoint.connections.has(peer.id) && peer.connections.has(endpoint.id)
    if (bothSee && Math.min(endpoint.mesh.size, peer.mesh.size) < this.#options.degree) this.#graft(endpoint, peer)
  }

  linkDown(endpoint: Endpoint, peer: Endpoint): void {
    endpoint.mesh.delete(peer.id)
    if (endpoint.mesh.size >= this.#options.degree) return
    const others = this.#neighbours(endpoint).filter((other) => !endpoint.mesh.has(other.id) && other.connections.has(endpoint.id))
    for (const other of pickSome(this.#random, others, this.#options.degree - endpoint.mesh.size)) this.#graft(endpoint, other)
  }

  #graft(a: Endpoint, b: Endpoint): void {
    if (Math.max(a.mesh.size, b.mesh.size) >= this.#options.degreeMax) return
    a.mesh.set(b.id, b)
    b.mesh.set(a.id, a)
  }

  #neighbours(endpoint: Endpoint): Endpoint[] {
    const neighbours: Endpoint[] = []
    for (const connections of endpoint.connections.values()) {
      const connection = connections.at(-1)
      if (connection !== undefined) neighbours.push(connection.other(endpoint))
    }
    return neighbours
  }

  #copy(from: Endpoint, to: Endpoint, message: GossipMessage): boolean {
    const { deafFor, loss } = this.#options
    const oldest = from.connections.get(to.id)?.[0]
    if (oldest === undefined || this.#clock.now - oldest.openedAt < deafFor) return false
    from.traffic.broadcastsSent += 1
    from.traffic.broadcastBytesSent += message.data.length
    if (loss === 0 || this.#random() >= loss) this.#network.send(from, to.id, message)
    return true
  }

  #message(data: Uint8Array): GossipMessage {
    for (const [hash, message] of this.#messages) {
      if (message.expires > this.#clock.now) break
      this.#messages.delete(hash)
    }
    const hash = contentHash(data)
    let message = this.#messages.get(hash)
    if (message === undefined) {
      message = new GossipMessage(data, this.#clock.now + this.#options.seenFor)
      this.#messages.set(hash, message)
    }
    return message
  }
}
