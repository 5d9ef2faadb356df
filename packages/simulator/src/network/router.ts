import { pickSome, type Milliseconds, type NodeId } from '@jel/protocol'
import type { Endpoint } from './endpoint.ts'
import type { GossipMessage } from './gossip-message.ts'
import type { GossipOptions } from './gossip-options.ts'

/** The gossipsub state of a linked peer. */
export interface Neighbour {
  readonly endpoint: Endpoint
  /** True if this node dialled the neighbour. */
  readonly outbound: boolean
  /** True if the outgoing stream is open. */
  ready: boolean
  /** True if the neighbour's subscription has arrived. */
  subscribed: boolean
}

/** The first heartbeat comes this long after the start of a node, ms (heartbeatInitialDelay). */
const firstHeartbeat = 100

/** The tolerance of a heartbeat's time, as a share of the interval. */
const rounding = 1e-6

/**
 * The gossipsub state of one node: its neighbours, its mesh and the messages of the last
 * heartbeats.
 */
export class Router {
  readonly endpoint: Endpoint
  readonly neighbours = new Map<NodeId, Neighbour>()
  readonly #options: GossipOptions
  readonly #random: () => number
  readonly #started: Milliseconds
  /** For each peer, the end of the time without grafts. */
  readonly #backoffs = new Map<NodeId, Milliseconds>()
  /** Messages by the number of heartbeats since they came, latest first. */
  readonly #history: GossipMessage[][] = [[]]
  /** The time of the scheduled heartbeat; undefined if there is nothing to do. */
  nextHeartbeat: Milliseconds | undefined
  #lastHeartbeat: Milliseconds

  constructor(endpoint: Endpoint, options: GossipOptions, random: () => number, now: Milliseconds) {
    this.endpoint = endpoint
    this.#options = options
    this.#random = random
    this.#started = now + firstHeartbeat - options.heartbeat
    this.#lastHeartbeat = this.#started
  }

  get mesh(): Map<NodeId, Endpoint> {
    return this.endpoint.mesh
  }

  /** Keeps a message, to announce it and to send it on request. */
  keep(message: GossipMessage, now: Milliseconds): void {
    this.#shift(now)
    this.#history[0]?.push(message)
  }

  /** Returns whether a peer can still request the message. */
  has(message: GossipMessage, now: Milliseconds): boolean {
    this.#shift(now)
    return this.#history.some((window) => window.includes(message))
  }

  backOff(peer: NodeId, until: Milliseconds): void {
    this.#backoffs.set(peer, Math.max(until, this.#backoffs.get(peer) ?? 0))
  }

  backsOff(peer: NodeId, now: Milliseconds): boolean {
    const until = this.#backoffs.get(peer)
    if (until === undefined) return false
    if (until > now) return true
    this.#backoffs.delete(peer)
    return false
  }

  /** Returns the usable neighbours outside the mesh. */
  outside(): Neighbour[] {
    return [...this.neighbours.values()].filter(({ endpoint, ready, subscribed }) => ready && subscribed && !this.mesh.has(endpoint.id))
  }

  /**
   * Returns the time of the next heartbeat. gossipsub's heartbeats never stop. This model skips
   * idle heartbeats.
   */
  heartbeatAfter(now: Milliseconds): Milliseconds {
    const { heartbeat } = this.#options
    return this.#started + (Math.floor((now - this.#started) / heartbeat + rounding) + 1) * heartbeat
  }

  needsHeartbeat(now: Milliseconds): boolean {
    this.#shift(now)
    if (this.#history.some((window) => window.length > 0) || this.mesh.size > this.#options.degreeMax) return true
    if (this.mesh.size >= this.#options.degreeMin)
      return this.#outboundInMesh() < this.#options.degreeOut && this.outside().some(({ outbound }) => outbound)
    return this.outside().length > 0
  }

  /**
   * Grafts and prunes the mesh at a heartbeat, and returns the changes. It follows gossipsub's
   * `heartbeat`, with all scores equal.
   */
  balance(now: Milliseconds): { readonly grafts: Neighbour[]; readonly prunes: Neighbour[] } {
    const { degree, degreeMin, degreeMax, degreeOut } = this.#options
    const candidates = this.outside().filter(({ endpoint }) => !this.backsOff(endpoint.id, now))
    const grafts: Neighbour[] = []
    const prunes: Neighbour[] = []
    if (this.mesh.size < degreeMin) grafts.push(...pickSome(this.#random, candidates, degree - this.mesh.size))
    for (const { endpoint } of grafts) this.mesh.set(endpoint.id, endpoint)
    if (this.mesh.size > degreeMax) prunes.push(...this.#excess())
    for (const { endpoint } of prunes) this.mesh.delete(endpoint.id)
    if (this.mesh.size >= degreeMin && this.#outboundInMesh() < degreeOut) {
      const outbound = candidates.filter((each) => each.outbound && !grafts.includes(each))
      const more = pickSome(this.#random, outbound, degreeOut - this.#outboundInMesh())
      for (const { endpoint } of more) this.mesh.set(endpoint.id, endpoint)
      grafts.push(...more)
    }
    return { grafts, prunes }
  }

  /**
   * Returns the messages to announce at a heartbeat, and the neighbours that receive the
   * announcement.
   */
  gossip(now: Milliseconds): { readonly peers: Neighbour[]; readonly messages: GossipMessage[] } {
    this.#shift(now)
    const messages = this.#history.slice(0, this.#options.toldFor).flat()
    if (messages.length === 0) return { peers: [], messages }
    const others = this.outside()
    const count = Math.max(this.#options.lazy, this.#options.lazyShare * others.length)
    return { peers: pickSome(this.#random, others, Math.floor(Math.min(count, others.length))), messages }
  }

  /** Ends a heartbeat. All kept messages age by one heartbeat. */
  endHeartbeat(now: Milliseconds): void {
    this.#shift(now)
    this.#age()
    this.#lastHeartbeat = now
  }

  #excess(): Neighbour[] {
    const { degree, degreeOut, degreeScore } = this.#options
    const members = [...this.mesh.keys()].flatMap((id) => this.neighbours.get(id) ?? [])
    const best = members.slice(0, degreeScore)
    const rest = members.slice(degreeScore)
    const kept = [...best, ...pickSome(this.#random, rest, degree - best.length)]
    // An attacker can hardly choose the peers that this node dials, so some of these peers stay.
    for (const each of rest) {
      if (kept.filter(({ outbound }) => outbound).length >= degreeOut) break
      if (!each.outbound || kept.includes(each)) continue
      kept.unshift(each)
      kept.pop()
    }
    return members.filter((each) => !kept.includes(each))
  }

  #outboundInMesh(): number {
    let count = 0
    for (const id of this.mesh.keys()) if (this.neighbours.get(id)?.outbound === true) count += 1
    return count
  }

  /** Catches up with the skipped heartbeats. */
  #shift(now: Milliseconds): void {
    const { heartbeat, keptFor } = this.#options
    const missed = Math.ceil((now - this.#lastHeartbeat) / heartbeat - rounding) - 1
    for (let i = 0; i < Math.min(missed, keptFor); i++) this.#age()
    if (missed > 0) this.#lastHeartbeat += missed * heartbeat
  }

  #age(): void {
    this.#history.unshift([])
    if (this.#history.length > this.#options.keptFor) this.#history.pop()
  }
}
