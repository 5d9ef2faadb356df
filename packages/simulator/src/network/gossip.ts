import { pickSome } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import { contentHash } from '../engine/digest.ts'
import type { Endpoint } from './endpoint.ts'
import { GossipControl, controlBytes, idontwantBytes, messageOverhead } from './gossip-control.ts'
import { GossipMessage } from './gossip-message.ts'
import { defaultGossip, type GossipOptions } from './gossip-options.ts'
import type { Network } from './network.ts'
import { Router, type Neighbour } from './router.ts'
import { classNumber } from './traffic.ts'
import type { Payload } from './payload.ts'

const broadcasts = classNumber('broadcasts')
const control = classNumber('gossip control')

/**
 * A model of gossipsub, after @libp2p/gossipsub as the overlay configures it. Each node forwards
 * new messages to its mesh, announces them to a few other peers at its heartbeats, and sends them
 * on request. The model has no scores, because the overlay's scores count only forgeries. It has no
 * limits that honest nodes don't reach. It counts control messages without effect at the other end
 * (IHAVE of known messages, IDONTWANT), and does not send them.
 */
export class Gossip {
  readonly #clock: VirtualClock
  readonly #network: Network
  readonly #random: () => number
  readonly #options: GossipOptions
  /** The routers, by the number of the node. */
  readonly #routers: (Router | undefined)[] = []
  /** Messages in the order of publishing. They expire in the same order. */
  readonly #messages = new Map<number, GossipMessage>()

  constructor(clock: VirtualClock, network: Network, random: () => number, options: Partial<GossipOptions> = {}) {
    this.#clock = clock
    this.#network = network
    this.#random = random
    this.#options = { ...defaultGossip, ...options }
  }

  publish(from: Endpoint, data: Payload): void {
    const message = this.#message(data)
    if (!message.firstSeenBy(from.index)) return
    const router = this.#router(from)
    router.keep(message, this.#clock.now)
    const missing = this.#options.degree - from.mesh.size
    // The node's own message goes to the target number of peers, even if the mesh is smaller.
    const others = missing <= 0 ? [] : pickSome(this.#random, router.outside(), missing)
    for (const peer of from.mesh.values()) this.#copy(from, peer, message)
    for (const { endpoint } of others) this.#copy(from, endpoint, message)
    this.#schedule(router)
  }

  /**
   * Handles the arrival of a copy. Returns true the first time. The first copy of a large message
   * makes the node send IDONTWANT to its mesh. The model only counts IDONTWANT, because it prevents
   * no copy here. A node sends it together with its own copies. A peer that has the message by then
   * has forwarded it already.
   */
  arrived(at: Endpoint, message: GossipMessage, source: Endpoint): boolean {
    at.traffic.broadcastsReceived += 1
    at.traffic.broadcastBytesReceived += message.data.length
    if (!message.firstSeenBy(at.index)) {
      at.traffic.broadcastDuplicates += 1
      return false
    }
    if (message.data.length >= this.#options.dontWantFrom) {
      for (const peer of at.mesh.values()) if (peer !== source) this.#network.account(at, peer, idontwantBytes, control)
    }
    return true
  }

  /** Forwards a valid message to the mesh of this node, except to its source. */
  forward(from: Endpoint, message: GossipMessage, source: Endpoint): void {
    const router = this.#router(from)
    router.keep(message, this.#clock.now)
    for (const peer of from.mesh.values()) {
      if (peer !== source) this.#copy(from, peer, message)
    }
    this.#schedule(router)
  }

  linkUp(endpoint: Endpoint, peer: Endpoint): void {
    const router = this.#router(endpoint)
    const outbound = endpoint.connections.get(peer.id)?.at(-1)?.dialer === endpoint
    const neighbour: Neighbour = { endpoint: peer, outbound, ready: false, subscribed: false }
    router.neighbours.set(peer.id, neighbour)
    const delay = this.#network.typicalDelay(endpoint, peer)
    this.#clock.after(this.#options.subscribeDelays * delay, () => {
      if (router.neighbours.get(peer.id) !== neighbour) return
      neighbour.ready = true
      this.#sendControl(endpoint, peer, GossipControl.subscribe)
      this.#schedule(router)
    })
  }

  linkDown(endpoint: Endpoint, peer: Endpoint): void {
    const router = this.#router(endpoint)
    router.neighbours.delete(peer.id)
    endpoint.mesh.delete(peer.id)
    this.#schedule(router)
  }

  /** Forgets the state of a dead process. */
  exit(endpoint: Endpoint): void {
    this.#routers[endpoint.index] = undefined
    endpoint.mesh.clear()
  }

  controlled(at: Endpoint, from: Endpoint, said: GossipControl): void {
    const router = this.#router(at)
    const neighbour = router.neighbours.get(from.id)
    if (neighbour === undefined) return
    const { now } = this.#clock
    switch (said.kind) {
      case 'subscribe':
        this.#subscribed(router, neighbour)
        return
      case 'graft':
        this.#grafted(router, neighbour)
        return
      case 'prune':
        at.mesh.delete(from.id)
        router.backOff(from.id, now + said.backoff)
        this.#schedule(router)
        return
      case 'ihave': {
        const unknown = said.messages.filter((message) => !message.seenBy(at.index))
        if (unknown.length > 0) this.#sendControl(at, from, GossipControl.iwant(unknown))
        return
      }
      case 'iwant':
        for (const message of said.messages) if (router.has(message, now)) this.#copy(at, from, message)
    }
  }

  #subscribed(router: Router, neighbour: Neighbour): void {
    const { mesh, endpoint } = router
    const peer = neighbour.endpoint
    neighbour.subscribed = true
    // The graft happens at once, so that the link does not lose a message published right after.
    if (neighbour.ready && mesh.size < this.#options.degreeMin && !mesh.has(peer.id) && !router.backsOff(peer.id, this.#clock.now)) {
      mesh.set(peer.id, peer)
      this.#sendControl(endpoint, peer, GossipControl.graft)
    }
    this.#schedule(router)
  }

  #grafted(router: Router, { endpoint: peer, outbound }: Neighbour): void {
    const { mesh } = router
    if (mesh.has(peer.id)) return
    if (router.backsOff(peer.id, this.#clock.now) || (mesh.size >= this.#options.degreeMax && !outbound)) this.#prune(router, peer)
    else mesh.set(peer.id, peer)
    if (mesh.size > this.#options.degreeMax) this.#schedule(router)
  }

  #prune(router: Router, peer: Endpoint): void {
    const { backoff } = this.#options
    router.backOff(peer.id, this.#clock.now + backoff)
    this.#sendControl(router.endpoint, peer, GossipControl.prune(backoff))
  }

  #schedule(router: Router): void {
    const { now } = this.#clock
    if (router.nextHeartbeat !== undefined || !router.needsHeartbeat(now)) return
    router.nextHeartbeat = router.heartbeatAfter(now)
    this.#clock.at(router.nextHeartbeat, () => this.#heartbeat(router))
  }

  #heartbeat(router: Router): void {
    router.nextHeartbeat = undefined
    const { endpoint } = router
    if (!endpoint.listening || this.#routers[endpoint.index] !== router) return
    const { now } = this.#clock
    if (endpoint.awake) {
      const { grafts, prunes } = router.balance(now)
      const { peers, messages } = router.gossip(now)
      for (const neighbour of grafts) this.#sendControl(endpoint, neighbour.endpoint, GossipControl.graft)
      for (const neighbour of prunes) this.#prune(router, neighbour.endpoint)
      for (const { endpoint: peer } of peers) this.#announce(endpoint, peer, messages)
      router.endHeartbeat(now)
    }
    this.#schedule(router)
  }

  #announce(from: Endpoint, peer: Endpoint, messages: readonly GossipMessage[]): void {
    const ihave = GossipControl.ihave(messages)
    if (messages.some((message) => !message.seenBy(peer.index))) this.#sendControl(from, peer, ihave)
    else this.#network.account(from, peer, controlBytes(ihave), control)
  }

  #sendControl(from: Endpoint, peer: Endpoint, said: GossipControl): void {
    this.#network.sendGossip(from, peer.id, said, controlBytes(said), control)
  }

  #copy(from: Endpoint, to: Endpoint, message: GossipMessage): void {
    const { loss } = this.#options
    from.traffic.broadcastsSent += 1
    from.traffic.broadcastBytesSent += message.data.length
    if (loss > 0 && this.#random() < loss) return
    this.#network.sendGossip(from, to.id, message, message.data.length + messageOverhead, broadcasts)
  }

  #router(endpoint: Endpoint): Router {
    return (this.#routers[endpoint.index] ??= new Router(endpoint, this.#options, this.#random, this.#clock.now))
  }

  #message(data: Payload): GossipMessage {
    const { now } = this.#clock
    for (const [hash, message] of this.#messages) {
      if (message.expires > now) break
      this.#messages.delete(hash)
    }
    const hash = contentHash(data)
    let message = this.#messages.get(hash)
    if (message === undefined) {
      message = new GossipMessage(data, now + this.#options.seenFor)
      this.#messages.set(hash, message)
    }
    return message
  }
}
