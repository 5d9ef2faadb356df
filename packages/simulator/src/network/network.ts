import type { Address, DialFailure, HostProbeOutcome, Milliseconds, NodeId } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import type { ConnectionUse, Pipe } from './connection.ts'
import { Dialling, type Paths } from './dialling.ts'
import type { Endpoint } from './endpoint.ts'
import { packetHeader, prefixed, segment, streamBytes } from './framing.ts'
import type { GossipControl } from './gossip-control.ts'
import { GossipMessage } from './gossip-message.ts'
import { defaultNetwork, type NetworkOptions } from './network-options.ts'
import type { Payload } from './payload.ts'
import { Reachability } from './reachability.ts'
import { topologyDelay } from './site.ts'
import { TcpFlow } from './tcp-flow.ts'
import { classNumber, type ClassNumber } from './traffic.ts'
import { TransitTime } from './transit-time.ts'
import { count, Transport } from './transport.ts'

const jobs = classNumber('jobs')

/**
 * The bytes that an application sends at once. The receiver acknowledges each second packet. The
 * acknowledgement releases the next packets.
 */
const part = 2 * segment

/**
 * In-memory connections between processes. They behave like TCP in these respects:
 * - A connection loses and reorders nothing. Loss is delay.
 * - A cut path breaks nothing at once. Data sent into it arrives after the repair.
 * - Peers notice the end of a process one delay later.
 * - An end that has given up the connection answers data with RST.
 *
 * Simplifications: acknowledgements always get through, and take no room on a cable. So a path that
 * is cut in one direction still carries data in the other direction. Packets leave a full cable in
 * order of arrival. So short messages of other connections don't overtake a long message.
 */
export class Network {
  readonly reachability = new Reachability()
  readonly #clock: VirtualClock
  readonly #options: NetworkOptions
  readonly #transit: TransitTime
  readonly #transport: Transport
  readonly #dialling: Dialling

  constructor(clock: VirtualClock, random: () => number, options: Partial<NetworkOptions> = {}) {
    const { topology } = options
    this.#clock = clock
    this.#options = { ...defaultNetwork, ...(topology && { delay: topologyDelay(topology) }), ...options }
    this.#transit = new TransitTime(clock, random, this.#options)
    this.#transport = new Transport(clock, this.reachability, this.#options, this.#transit)
    this.#dialling = new Dialling(clock, this.reachability, this.#options, this.#transit, this.#transport)
  }

  /**
   * Makes the process answer at an address of its machine, or stop answering. Packets to an
   * unanswered address vanish.
   */
  listen(endpoint: Endpoint, process?: number, answers?: boolean): void {
    this.#dialling.listen(endpoint, process, answers)
  }

  /**
   * Returns the time for which a packet to this process would wait now for the fullest cable on its
   * side, ms.
   */
  backlogTo(endpoint: Endpoint): Milliseconds {
    return this.#transit.backlogTo(endpoint)
  }

  /**
   * Ends the connections of a process together with their address. A peer that sends on them
   * receives RST.
   */
  abandon(endpoint: Endpoint): void {
    for (const connection of [...endpoint.connections.values(), ...endpoint.applications.values()].flat()) {
      connection.pipeFrom(endpoint).drop()
      this.#transport.closed(connection, endpoint)
    }
  }

  /**
   * Opens a link. The result is a call of `linkUp` or `failed`, or none if a link to `peer` is up.
   */
  dial(from: Endpoint, peer: NodeId | undefined, paths: Paths, failed: (failure: DialFailure) => void): void {
    if (peer !== undefined && from.connections.has(peer)) return
    from.traffic.dials += 1
    this.#dialling.dial(from, peer, paths, 'link', failed)
  }

  /**
   * Opens a connection for streams of the application. The result is a call of `applicationUp` or
   * `failed`.
   */
  dialApplication(from: Endpoint, peer: NodeId, paths: Paths, failed: (failure: DialFailure) => void): void {
    from.traffic.applicationDials += 1
    this.#dialling.dial(from, peer, paths, 'application', failed)
  }

  probeHost(from: Endpoint, addresses: readonly Address[], done: (outcome: HostProbeOutcome) => void): void {
    from.traffic.hostProbes += 1
    this.#dialling.probeHost(from, addresses, done)
  }

  /** Sends a frame on the link's stream, if there is a link. */
  send(from: Endpoint, to: NodeId, data: Payload, trafficClass: ClassNumber, urgent = false): void {
    const connection = from.connections.get(to)?.at(-1)
    if (connection === undefined) return
    const pipe = connection.pipeFrom(from)
    const { now } = this.#clock
    const stream = streamBytes(prefixed(data.length), pipe.recordOpened !== now)
    pipe.recordOpened = now
    this.#transport.transmit(pipe, { item: data, stream, trafficClass, cost: this.#frameCost(data), urgent })
    from.traffic.framesSent += 1
    from.traffic.frameBytesSent += data.length
  }

  /**
   * Sends data on a stream of the application. Returns the number of bytes that still wait, or
   * undefined if there is no connection.
   */
  sendApplication(from: Endpoint, to: NodeId, data: Payload): number | undefined {
    const connection = from.applications.get(to)?.[0]
    if (connection === undefined) return undefined
    const pipe = connection.pipeFrom(from)
    const parts = Math.ceil(data.length / part)
    const pace =
      parts === 1 ? 0 : (this.#transit.message(from, pipe.to, data.length, () => (pipe.flow ??= new TcpFlow())) - pipe.lastDelay) / parts
    pipe.parts.push({ data, left: data.length, pace: Math.max(0, pace) })
    if (pipe.parts.length === 1) this.#sendParts(pipe)
    return pipe.parts.reduce((sum, { left }) => sum + left, 0)
  }

  /**
   * Sends each part once the narrowest cable has carried the part before, as TCP's acknowledgements
   * allow. So parts of other connections get through in between.
   */
  #sendParts(pipe: Pipe<Endpoint>): void {
    for (let first = pipe.parts[0]; first !== undefined && !pipe.closing; first = pipe.parts[0]) {
      const { data, pace } = first
      const bytes = Math.min(first.left, part)
      first.left -= bytes
      const isLast = first.left <= 0
      const stream = streamBytes(prefixed(bytes), true)
      this.#transport.transmit(pipe, { item: isLast ? data : 'part', stream, trafficClass: jobs, cost: isLast ? this.#frameCost(data) : 0 })
      if (isLast) {
        pipe.parts.shift()
        continue
      }
      this.#clock.at(Math.max(this.#clock.now + pace, pipe.lastArrival - pipe.lastDelay), () => {
        if (pipe.parts[0] === first) this.#sendParts(pipe)
      })
      return
    }
  }

  /**
   * Sends a message or control message of gossipsub. `bytes` is the size of the RPC that carries
   * it. Returns false if there is no link.
   */
  sendGossip(from: Endpoint, to: NodeId, item: GossipMessage | GossipControl, bytes: number, trafficClass: ClassNumber): boolean {
    const connection = from.connections.get(to)?.at(-1)
    if (connection === undefined) return false
    const pipe = connection.pipeFrom(from)
    const { broadcast, duplicate, control } = this.#options.costs
    const message = item instanceof GossipMessage ? item : undefined
    if (
      message !== undefined &&
      connection.relay === undefined &&
      !pipe.shaped &&
      pipe.held === 0 &&
      this.reachability.reaches(from, pipe.to)
    ) {
      this.#sendCopy(pipe, message, bytes, trafficClass)
      return true
    }
    const cost = message === undefined ? control : message.seenBy(pipe.to.index) ? duplicate : broadcast
    this.#transport.transmit(pipe, { item, stream: streamBytes(prefixed(bytes), true), trafficClass, cost })
    return true
  }

  /**
   * Most copies of a message reach a node after another copy. Such a late copy changes nothing at
   * its receiver. So the network only counts it, without an event. This is a simplification: if the
   * earlier copy is lost, the late copy is lost, too. The earlier copy is lost only if its
   * connection closes within the same few milliseconds.
   */
  #sendCopy(pipe: Pipe<Endpoint>, message: GossipMessage, bytes: number, trafficClass: ClassNumber): void {
    const { from, to } = pipe
    const { now } = this.#clock
    const delay = this.#transit.packet(from, to)
    if (message.isFirstTo(to.index, Math.max(pipe.lastArrival, now + delay), now)) {
      this.#transport.transmit(pipe, { item: message, stream: streamBytes(prefixed(bytes), true), trafficClass, cost: 0, delay })
      return
    }
    this.account(from, to, bytes, trafficClass)
    to.traffic.broadcastsReceived += 1
    to.traffic.broadcastBytesReceived += message.data.length
    to.traffic.broadcastDuplicates += 1
  }

  /** Counts a message to a peer without sending it, because it changes nothing there. */
  account(from: Endpoint, to: Endpoint, bytes: number, trafficClass: ClassNumber): void {
    count(from, to, trafficClass, streamBytes(prefixed(bytes), true), packetHeader)
  }

  /** Returns the delay of the last message from one node to another, 0 if they have no link. */
  typicalDelay(from: Endpoint, to: Endpoint): Milliseconds {
    const connection = from.connections.get(to.id)?.at(-1)
    if (connection === undefined) return 0
    return connection.pipeFrom(from).lastDelay || connection.pipeTo(from).lastDelay
  }

  /**
   * Closes this end of the link, after pending data has left. The end itself receives `linkDown`
   * next.
   */
  disconnect(from: Endpoint, peer: NodeId, use: ConnectionUse = 'link'): void {
    const connections = from.connectionsFor(use)
    for (const connection of connections.get(peer) ?? []) {
      this.#transport.close(connection, from)
    }
    const closed = connections.get(peer)?.at(-1)
    if (closed === undefined) return
    connections.delete(peer)
    if (use === 'link') this.#clock.after(0, () => from.listening && from.events.linkDown(closed.other(from)))
  }

  /** Ends the process. Its kernel closes its connections. */
  exit(endpoint: Endpoint): void {
    endpoint.listening = false
    for (const connections of [...endpoint.connections.values(), ...endpoint.applications.values()]) {
      for (const connection of connections) this.#transport.close(connection, endpoint)
    }
    endpoint.connections.clear()
    endpoint.applications.clear()
    if (endpoint.circuits.size > 0) {
      this.#transport.endCircuits(endpoint)
      this.#transport.retransmission.mended()
    }
    this.#dialling.mended()
  }

  woken(endpoint: Endpoint): void {
    this.#dialling.woken(endpoint)
    if (endpoint.circuits.size > 0) this.#transport.retransmission.mended()
  }

  /** Call it when paths work again. Held data continues with TCP's next attempt. */
  mended(): void {
    this.#dialling.mended()
    this.#transport.retransmission.mended()
  }

  #frameCost({ length }: Payload): Milliseconds {
    const { frame, frameKilobyte } = this.#options.costs
    return frame + (frameKilobyte * length) / 1_000
  }
}
