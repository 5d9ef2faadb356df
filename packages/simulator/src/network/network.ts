import type { Address, DialFailure, HostProbeOutcome, Milliseconds, NodeId } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import { Connection, type ConnectionUse, type Item, type Pipe } from './connection.ts'
import { loopback, type Delay } from './delay.ts'
import { Dialling, type DiallingOptions } from './dialling.ts'
import type { Endpoint } from './endpoint.ts'
import { extraAcknowledgements, headerBytes, packetHeader, prefixed, segment, streamBytes } from './framing.ts'
import { GossipControl } from './gossip-control.ts'
import { GossipMessage } from './gossip-message.ts'
import { Path } from './path.ts'
import { noCosts, type Costs } from './processing.ts'
import { Reachability } from './reachability.ts'
import { topologyDelay, type Topology } from './site.ts'
import { initialWindow, retransmitMax, retransmitMin, TcpFlow } from './tcp-flow.ts'
import { purposeNumber, type PurposeNumber } from './traffic.ts'
import type { Payload } from './payload.ts'

export interface NetworkOptions extends DiallingOptions {
  /**
   * Default: the delay of the {@link topology}; without one, the delay between processes of one
   * machine.
   */
  readonly delay: Delay
  /** The sites of machines. Default: all in one place. */
  readonly topology: Topology | undefined
  /**
   * The share of packets that are lost, 0 to 1. On a connection loss shows as delay: TCP sends them
   * again.
   */
  readonly loss: number
  /** The processor time of operations, on machines that have a processor. */
  readonly costs: Costs
}

export const defaultNetwork: NetworkOptions = {
  delay: loopback,
  topology: undefined,
  loss: 0,
  costs: noCosts,
  // The values of the overlay.
  connectTimeout: 2_000,
  dialTimeout: 8_000,
  hostProbeTimeout: 600,
  // Measured on two hosts (packages/lab/src/fidelity): TCP, then Noise, yamux and the link's stream
  // in two and a half round trips. The streams of gossipsub open along with later data.
  setupDelays: 7,
  setupBytes: { dialler: 558, listener: 646 },
  setupPackets: 3,
}

/**
 * After this long without an acknowledgement TCP breaks the connection. Linux: tcp_retries2 = 15.
 */
const retransmitFor = 924_600
/** An acknowledgement waits this long for data to travel with. Linux: TCP_DELACK_MIN. */
const acknowledgementDelay = 40

/** The bytes of closing a connection: the ends of three streams and yamux's goodbye. */
const closingBytes = 4 * 30

/**
 * The bytes of an RST beside the headers of its packet. It has none, but must count as something.
 */
const resetBytes = 1

const setUp = purposeNumber('set-up')
const acknowledgements = purposeNumber('acknowledgements')
const jobs = purposeNumber('jobs')

/**
 * The bytes that an application sends at once. Each second packet is acknowledged, and that
 * releases the next ones.
 */
const part = 2 * segment

/**
 * In-memory connections between processes. They behave as TCP does where it matters:
 * - Nothing is lost or reordered on a connection; loss is delay.
 * - A cut path breaks nothing at once. Data sent into it arrives after the mending.
 * - Peers notice the end of a process one delay later.
 * - Data for an end that has given the connection up is answered with RST.
 *
 * Simplifications: acknowledgements always get through and take no room on a cable, so a path that
 * is cut in one direction still carries the other. Packets leave a full cable in order of arrival,
 * so short messages of other connections don't overtake a long one.
 */
export class Network {
  readonly reachability = new Reachability()
  readonly #clock: VirtualClock
  readonly #random: () => number
  readonly #options: NetworkOptions
  readonly #path: Path
  readonly #dialling: Dialling
  readonly #held = new Set<Pipe<Endpoint>>()
  readonly #arrived = (pipe: Pipe<Endpoint>): void => this.#arrive(pipe)
  /** The retransmitted bytes of the last message. */
  #resent = 0

  constructor(clock: VirtualClock, random: () => number, options: Partial<NetworkOptions> = {}) {
    this.#clock = clock
    this.#random = random
    const { topology } = options
    this.#options = { ...defaultNetwork, ...(topology && { delay: topologyDelay(topology) }), ...options }
    this.#path = new Path(clock, topology)
    this.#dialling = new Dialling(
      clock,
      this.reachability,
      this.#options,
      (from, to, bytes, cost, departure) => this.#journey(from, to, bytes, cost, departure),
      (dialer, target, established, use) => this.#connect(dialer, target, established, use),
    )
  }

  /**
   * Makes the process answer at an address of its machine, or stop answering. Packets to an
   * unanswered address vanish.
   */
  listen(endpoint: Endpoint, process?: number, answers?: boolean): void {
    this.#dialling.listen(endpoint, process, answers)
  }

  /**
   * Ends the connections of a process together with their address. A peer that sends on them
   * receives RST.
   */
  abandon(endpoint: Endpoint): void {
    for (const connection of [...endpoint.connections.values(), ...endpoint.applications.values()].flat()) {
      connection.pipeFrom(endpoint).drop()
      this.#closed(connection, endpoint)
    }
  }

  /** Ends in `linkUp`, in a call of `failed`, or in neither if a link to `peer` is up. */
  dial(from: Endpoint, peer: NodeId | undefined, addresses: readonly Address[], failed: (failure: DialFailure) => void): void {
    if (peer !== undefined && from.connections.has(peer)) return
    from.traffic.dials += 1
    this.#dialling.dial(from, peer, addresses, 'link', failed)
  }

  /**
   * Opens a connection for streams of the application. Ends in `applicationUp`, or in a call of
   * `failed`.
   */
  dialApplication(from: Endpoint, peer: NodeId, addresses: readonly Address[], failed: (failure: DialFailure) => void): void {
    from.traffic.applicationDials += 1
    this.#dialling.dial(from, peer, addresses, 'application', failed)
  }

  probeHost(from: Endpoint, addresses: readonly Address[], done: (outcome: HostProbeOutcome) => void): void {
    from.traffic.hostProbes += 1
    this.#dialling.probeHost(from, addresses, done)
  }

  /** Sends a frame on the link's stream. Returns false if there is no link. */
  send(from: Endpoint, to: NodeId, data: Payload, purpose: PurposeNumber, urgent = false): boolean {
    const connection = from.connections.get(to)?.at(-1)
    if (connection === undefined) return false
    const pipe = connection.pipeFrom(from)
    const { now } = this.#clock
    const stream = streamBytes(prefixed(data.length), pipe.recordOpened !== now)
    pipe.recordOpened = now
    const { frame, frameKilobyte } = this.#options.costs
    this.#transmit(pipe, data, stream, purpose, frame + (frameKilobyte * data.length) / 1_000, undefined, urgent)
    return true
  }

  /**
   * Sends data on a stream of the application. Returns false if there is no connection for that.
   */
  sendApplication(from: Endpoint, to: NodeId, data: Payload): boolean {
    const connection = from.applications.get(to)?.[0]
    if (connection === undefined) return false
    const pipe = connection.pipeFrom(from)
    const parts = Math.ceil(data.length / part)
    const pace =
      parts === 1 ? 0 : (this.#messageDelay(from, pipe.to, data.length, () => (pipe.flow ??= new TcpFlow())) - pipe.lastDelay) / parts
    pipe.parts.push({ data, left: data.length, pace: Math.max(0, pace) })
    if (pipe.parts.length === 1) this.#sendParts(pipe)
    return true
  }

  /**
   * Sends each part once the narrowest cable has carried the one before, as acknowledgements do. So
   * parts of other connections come in between.
   */
  #sendParts(pipe: Pipe<Endpoint>): void {
    for (let first = pipe.parts[0]; first !== undefined && !pipe.closing; first = pipe.parts[0]) {
      const { data, pace } = first
      const bytes = Math.min(first.left, part)
      first.left -= bytes
      const isLast = first.left <= 0
      const { frame, frameKilobyte } = this.#options.costs
      const cost = isLast ? frame + (frameKilobyte * data.length) / 1_000 : 0
      this.#transmit(pipe, isLast ? data : 'part', streamBytes(prefixed(bytes), true), jobs, cost)
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
  sendGossip(from: Endpoint, to: NodeId, item: GossipMessage | GossipControl, bytes: number, purpose: PurposeNumber): boolean {
    const connection = from.connections.get(to)?.at(-1)
    if (connection === undefined) return false
    const pipe = connection.pipeFrom(from)
    const { broadcast, duplicate, control } = this.#options.costs
    const message = item instanceof GossipMessage ? item : undefined
    if (message !== undefined && !pipe.shaped && pipe.held === 0 && this.reachability.reaches(from, pipe.to)) {
      this.#sendCopy(pipe, message, bytes, purpose)
      return true
    }
    const cost = message === undefined ? control : message.seenBy(pipe.to.index) ? duplicate : broadcast
    this.#transmit(pipe, item, streamBytes(prefixed(bytes), true), purpose, cost)
    return true
  }

  /**
   * Most copies of a message come to a node that has it or will have it before. If no copy waits
   * for cables, such a copy is counted and makes no event. It is lost if the earlier copy is, as
   * when the earlier one's connection closes within the same few milliseconds.
   */
  #sendCopy(pipe: Pipe<Endpoint>, message: GossipMessage, bytes: number, purpose: PurposeNumber): void {
    const { from, to } = pipe
    const { now } = this.#clock
    const delay = this.#packetDelay(from, to)
    if (message.isFirstTo(to.index, Math.max(pipe.lastArrival, now + delay), now)) {
      this.#transmit(pipe, message, streamBytes(prefixed(bytes), true), purpose, 0, delay)
      return
    }
    this.account(from, to, bytes, purpose)
    to.traffic.broadcastsReceived += 1
    to.traffic.broadcastBytesReceived += message.data.length
    to.traffic.broadcastDuplicates += 1
  }

  /** Counts a message to a peer without sending it, because it changes nothing there. */
  account(from: Endpoint, to: Endpoint, bytes: number, purpose: PurposeNumber): void {
    this.#count(from, to, purpose, streamBytes(prefixed(bytes), true), packetHeader)
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
      this.#farewell(connection, from)
      connection.pipeTo(from).open = false
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
      for (const connection of connections) {
        this.#farewell(connection, endpoint)
        connection.pipeTo(endpoint).open = false
      }
    }
    endpoint.connections.clear()
    endpoint.applications.clear()
    this.#dialling.mended()
  }

  woken(endpoint: Endpoint): void {
    this.#dialling.woken(endpoint)
  }

  /** Call it when paths came back. Held data continues with TCP's next attempt. */
  mended(): void {
    this.#dialling.mended()
    for (const pipe of this.#held) {
      if (this.reachability.rejects(pipe.from, pipe.to)) this.#rejected(pipe)
      if (!this.reachability.reaches(pipe.from, pipe.to)) continue
      if (pipe.retry !== undefined) this.#clock.cancel(pipe.retry)
      pipe.retry = this.#clock.at(this.#nextRetransmission(pipe), () => this.#retry(pipe))
    }
  }

  /** The listener's end is open. The dialler still waits for the listener's last packet. */
  #connect(dialer: Endpoint, listener: Endpoint, established: () => boolean, use: ConnectionUse): void {
    const connection = new Connection(dialer, listener, { arrived: this.#arrived, established, use, since: this.#clock.now })
    const { setupBytes, setupPackets } = this.#options
    this.#count(dialer, listener, setUp, setupBytes.dialler, setupPackets * packetHeader)
    this.#count(listener, dialer, setUp, setupBytes.listener, setupPackets * packetHeader)
    this.#transmit(connection.toDialer, 'open', 0, setUp, 0)
    this.#open(connection, listener)
  }

  #open(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const peer = connection.other(endpoint)
    connection.pipeTo(endpoint).open = true
    const connections = endpoint.connectionsFor(connection.use)
    const others = connections.get(peer.id)
    if (others !== undefined) {
      others.push(connection)
      return
    }
    connections.set(peer.id, [connection])
    if (connection.use === 'application') endpoint.events.applicationUp(peer)
    else {
      if (endpoint.connections.size > endpoint.mostLinks) endpoint.mostLinks = endpoint.connections.size
      endpoint.events.linkUp(peer, peer === connection.listener || peer.dialableFrom(endpoint))
    }
  }

  /** Handles a goodbye from the other side, or its silence for too long. */
  #closed(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const peer = connection.other(endpoint)
    const open = endpoint.connectionsFor(connection.use)
    const connections = open.get(peer.id)
    const at = connections?.indexOf(connection) ?? -1
    if (connections === undefined || at < 0) return
    connections.splice(at, 1)
    connection.pipeTo(endpoint).open = false
    connection.pipeFrom(endpoint).parts.length = 0
    if (connections.length > 0) return
    open.delete(peer.id)
    if (connection.use === 'link') endpoint.events.linkDown(peer)
    else endpoint.events.applicationDown(peer)
  }

  #farewell(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const pipe = connection.pipeFrom(endpoint)
    if (pipe.held > 0) pipe.drop()
    pipe.closing = true
    this.#transmit(pipe, 'close', closingBytes, setUp, this.#options.costs.lost)
  }

  /** Answers data for an unknown connection with RST, unless the closing is on its way already. */
  #reset(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const pipe = connection.pipeFrom(endpoint)
    if (pipe.closing) return
    pipe.closing = true
    this.#transmit(pipe, 'close', resetBytes, setUp, 0)
  }

  /** A firewall answers the sender in the name of the receiver, which receives nothing. */
  #rejected(pipe: Pipe<Endpoint>): void {
    pipe.drop()
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) pipe.take()
    pipe.closing = false
    this.#closed(pipe.connection, pipe.from)
  }

  /** `stream` is the bytes within TCP, 0 for items that other packets carry. */
  #transmit(
    pipe: Pipe<Endpoint>,
    item: Item,
    stream: number,
    purpose: PurposeNumber,
    cost: Milliseconds,
    known?: Milliseconds,
    urgent = false,
  ): void {
    const { from, to, connection } = pipe
    const { now } = this.#clock
    const headers = stream === 0 ? 0 : headerBytes(stream, pipe.departed !== now)
    const bytes = stream + headers
    if (known !== undefined) this.#resent = 0
    const delay = known ?? this.#messageDelay(from, to, stream, () => (pipe.flow ??= new TcpFlow()))
    const arrival = pipe.shaped ? this.#path.arrival(from, to, bytes, delay, cost, now) : now + delay
    pipe.put(item, bytes, purpose, urgent)
    if (stream > 0) pipe.departed = now
    pipe.lastDelay = delay
    pipe.lastArrival = Math.max(pipe.lastArrival, arrival)
    this.#clock.at(pipe.lastArrival, pipe.arrive)
    if (stream > 0) {
      from.traffic.sent.add(purpose, bytes + this.#resent)
      from.traffic.sent.headerBytes += headers + this.#resent
    }
    this.#acknowledge(connection.pipeTo(from), now)
  }

  /**
   * Acknowledges earlier arrivals with data in the other direction, or counts a separate
   * acknowledgement if that left before.
   */
  #acknowledge(pipe: Pipe<Endpoint>, now: Milliseconds): void {
    if (pipe.unacknowledgedSince === undefined) return
    if (now - pipe.unacknowledgedSince > acknowledgementDelay) this.#countAcknowledgements(pipe, 1)
    pipe.unacknowledgedSince = undefined
  }

  #countAcknowledgements(pipe: Pipe<Endpoint>, count: number): void {
    pipe.to.traffic.sent.add(acknowledgements, count * packetHeader, count)
    pipe.to.traffic.sent.headerBytes += count * packetHeader
    pipe.from.traffic.received.add(acknowledgements, count * packetHeader, count)
  }

  #count(from: Endpoint, to: Endpoint, purpose: PurposeNumber, stream: number, headers: number): void {
    from.traffic.sent.add(purpose, stream + headers)
    from.traffic.sent.headerBytes += headers
    to.traffic.received.add(purpose, stream + headers)
  }

  /** Returns when a packet with a later departure has arrived and been processed. */
  #journey(from: Endpoint, to: Endpoint, bytes: number, cost: Milliseconds, departure: Milliseconds): Milliseconds {
    const delay = this.#packetDelay(from, to)
    if (!from.shapes && !to.shapes && from.machine.site === to.machine.site) return departure + delay
    return this.#path.arrival(from, to, bytes, delay, cost, departure)
  }

  #oneWay(from: Endpoint, to: Endpoint): Milliseconds {
    return this.#options.delay(from, to, this.#random) + from.lag + to.lag
  }

  /** Returns the delay of a single packet. */
  #packetDelay(from: Endpoint, to: Endpoint): Milliseconds {
    return this.#messageDelay(from, to, 1, () => new TcpFlow())
  }

  /**
   * Returns the delay of a message. Within the first window a message waits for nothing unless
   * packets get lost. Each single packet has a flow of its own: the kernel merges small ones when
   * it sends them again, so they don't wait in a row.
   */
  #messageDelay(from: Endpoint, to: Endpoint, stream: number, flowOf: () => TcpFlow): Milliseconds {
    const delay = this.#oneWay(from, to)
    const loss = this.#lossBetween(from, to)
    const segments = Math.max(1, Math.ceil(stream / segment))
    this.#resent = 0
    if (loss === 0 && segments <= initialWindow) return delay
    const flow = segments === 1 ? new TcpFlow() : flowOf()
    const took = flow.send(segments, this.#clock.now, { delay, loss, random: this.#random })
    this.#resent = flow.resent * Math.min(stream, segment)
    return took
  }

  #lossBetween(from: Endpoint, to: Endpoint): number {
    const { loss } = this.#options
    if (from.loss === 0 && to.loss === 0) return loss
    return 1 - (1 - loss) * (1 - from.loss) * (1 - to.loss)
  }

  #arrive(pipe: Pipe<Endpoint>): void {
    if (pipe.held > 0) pipe.held += 1
    else if (this.reachability.reaches(pipe.from, pipe.to)) this.#deliver(pipe)
    else if (this.reachability.rejects(pipe.from, pipe.to)) {
      if (pipe.take() !== 'dropped') this.#rejected(pipe)
    } else {
      pipe.held = 1
      pipe.heldSince = this.#clock.now
      pipe.giveUp = this.#clock.after(retransmitFor, () => this.#giveUp(pipe))
      this.#held.add(pipe)
    }
  }

  #nextRetransmission(pipe: Pipe<Endpoint>): Milliseconds {
    let wait = retransmitMin
    let at = pipe.heldSince + wait
    while (at < this.#clock.now) {
      wait = Math.min(wait * 2, retransmitMax)
      at += wait
    }
    return at
  }

  #retry(pipe: Pipe<Endpoint>): void {
    pipe.retry = undefined
    if (!this.reachability.reaches(pipe.from, pipe.to)) return
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) this.#deliver(pipe)
  }

  #giveUp(pipe: Pipe<Endpoint>): void {
    pipe.drop()
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) pipe.take()
    pipe.closing = false
    this.#closed(pipe.connection, pipe.from)
  }

  #release(pipe: Pipe<Endpoint>): number {
    const { held } = pipe
    pipe.held = 0
    this.#held.delete(pipe)
    if (pipe.giveUp !== undefined) this.#clock.cancel(pipe.giveUp)
    if (pipe.retry !== undefined) this.#clock.cancel(pipe.retry)
    pipe.giveUp = undefined
    pipe.retry = undefined
    return held
  }

  #deliver(pipe: Pipe<Endpoint>): void {
    const item = pipe.take()
    const { connection, from, to } = pipe
    if (item === 'dropped') return
    if (item === 'open') {
      if (to.listening && connection.established()) this.#open(connection, to)
      else this.#reset(connection, to)
      return
    }
    this.#received(pipe)
    if (item === 'part') return
    if (item === 'close') this.#closed(connection, to)
    else if (pipe.open) {
      if (item instanceof GossipMessage) to.events.message(from, item)
      else if (item instanceof GossipControl) to.events.control(from, item)
      else if (connection.use === 'application') to.events.application(from, item)
      else to.events.frame(from, item, pipe.urgentTaken)
    } else this.#reset(connection, to)
  }

  #received(pipe: Pipe<Endpoint>): void {
    const { now } = this.#clock
    const bytes = pipe.bytesTaken
    pipe.to.traffic.received.add(pipe.purposeTaken, bytes)
    const extra = extraAcknowledgements(bytes)
    const since = pipe.unacknowledgedSince
    const waited = since !== undefined && now - since > acknowledgementDelay
    if (extra > 0 || since !== undefined) this.#countAcknowledgements(pipe, extra + (since === undefined ? 0 : 1))
    // One acknowledgement covers two packets, unless the first has been acknowledged already.
    pipe.unacknowledgedSince = since === undefined || waited ? now : undefined
  }
}
