import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import { acknowledgeArrival, acknowledgeWithData } from './acknowledgements.ts'
import { Connection, type ConnectionUse, type Item, type Pipe } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { headerBytes, packetHeader } from './framing.ts'
import { GossipControl } from './gossip-control.ts'
import { GossipMessage } from './gossip-message.ts'
import type { NetworkOptions } from './network-options.ts'
import type { Reachability } from './reachability.ts'
import { Retransmission } from './retransmission.ts'
import { TcpFlow } from './tcp-flow.ts'
import { classNumber, type ClassNumber } from './traffic.ts'
import type { TransitTime } from './transit-time.ts'

/** The bytes of closing a connection: the ends of three streams and yamux's goodbye. */
const closingBytes = 4 * 30

/**
 * The bytes of an RST without the headers of its packet. An RST has none. But 0 would mean that no
 * packet leaves.
 */
const resetBytes = 1

const setUp = classNumber('set-up')

/** The circumstances of a new connection. `relay`: it is a circuit over this process. */
export interface Opening {
  /** See {@link Connection.established}. */
  readonly established: () => boolean
  readonly use: ConnectionUse
  readonly relay: Endpoint | undefined
}

/** An item under way. */
interface Transmission {
  readonly item: Item
  /** The bytes within TCP, 0 for items that other packets carry. */
  readonly stream: number
  readonly trafficClass: ClassNumber
  /** The receiver's processor time. */
  readonly cost: Milliseconds
  /** The delay, if the caller knows it already. */
  readonly delay?: Milliseconds
  readonly urgent?: boolean
}

/** Opens and closes TCP connections, and carries items on them. */
export class Transport {
  readonly retransmission: Retransmission
  readonly #clock: VirtualClock
  readonly #options: NetworkOptions
  readonly #transit: TransitTime
  readonly #reachability: Reachability
  readonly #arrived: (pipe: Pipe<Endpoint>) => void

  constructor(clock: VirtualClock, reachability: Reachability, options: NetworkOptions, transit: TransitTime) {
    this.#clock = clock
    this.#options = options
    this.#transit = transit
    this.#reachability = reachability
    this.retransmission = new Retransmission(clock, reachability, {
      deliver: (pipe) => this.#deliver(pipe),
      broken: ({ connection, from }) => this.closed(connection, from),
    })
    this.#arrived = (pipe) => this.retransmission.arrive(pipe)
  }

  /** Opens the listener's end. The dialler's end opens when the listener's last packet arrives. */
  connect(dialer: Endpoint, listener: Endpoint, { established, use, relay }: Opening): void {
    const connection = new Connection(dialer, listener, { arrived: this.#arrived, established, use, since: this.#clock.now, relay })
    relay?.circuits.add(connection)
    const { setupBytes, setupPackets } = this.#options
    count(dialer, listener, setUp, setupBytes.dialler, setupPackets * packetHeader)
    count(listener, dialer, setUp, setupBytes.listener, setupPackets * packetHeader)
    this.transmit(connection.toDialer, { item: 'open', stream: 0, trafficClass: setUp, cost: 0 })
    this.#open(connection, listener)
  }

  transmit(pipe: Pipe<Endpoint>, { item, stream, trafficClass, cost, delay: known, urgent = false }: Transmission): void {
    const { from, to, connection } = pipe
    const { now } = this.#clock
    const headers = stream === 0 ? 0 : headerBytes(stream, pipe.departed !== now)
    const bytes = stream + headers
    if (known !== undefined) this.#transit.resent = 0
    const flowOf = (): TcpFlow => (pipe.flow ??= new TcpFlow())
    const { relay } = connection
    let delay = known ?? this.#transit.message(from, relay ?? to, stream, flowOf)
    let arrival = pipe.shaped ? this.#transit.arrival(from, relay ?? to, bytes, delay, relay === undefined ? cost : 0) : now + delay
    if (relay !== undefined) {
      const second = this.#transit.message(relay, to, stream, () => new TcpFlow())
      arrival = pipe.shaped ? this.#transit.arrival(relay, to, bytes, second, cost, arrival) : arrival + second
      delay += second
      if (stream > 0) {
        relay.traffic.received.add(trafficClass, bytes)
        relay.traffic.sent.add(trafficClass, bytes)
      }
    }
    pipe.put(item, bytes, trafficClass, urgent)
    if (stream > 0) pipe.departed = now
    pipe.lastDelay = delay
    pipe.lastArrival = Math.max(pipe.lastArrival, arrival)
    this.#clock.at(pipe.lastArrival, pipe.arrive)
    if (stream > 0) {
      from.traffic.sent.add(trafficClass, bytes + this.#transit.resent)
      from.traffic.sent.headerBytes += headers + this.#transit.resent
    }
    acknowledgeWithData(connection.pipeTo(from), now)
  }

  /** Closes this end, after pending data has left. */
  close(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const pipe = connection.pipeFrom(endpoint)
    if (pipe.held > 0) pipe.drop()
    pipe.closing = true
    this.transmit(pipe, { item: 'close', stream: closingBytes, trafficClass: setUp, cost: this.#options.costs.lost })
    connection.pipeTo(endpoint).open = false
  }

  /** Closes this end after the other end closed, or after the kernel gave up. */
  closed(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const peer = connection.other(endpoint)
    const open = endpoint.connectionsFor(connection.use)
    const connections = open.get(peer.id)
    const at = connections?.indexOf(connection) ?? -1
    if (connections === undefined || at < 0) return
    connections.splice(at, 1)
    connection.relay?.circuits.delete(connection)
    connection.pipeTo(endpoint).open = false
    connection.pipeFrom(endpoint).parts.length = 0
    if (connections.length > 0) return
    open.delete(peer.id)
    if (connection.use === 'link') endpoint.events.linkDown(peer)
    else endpoint.events.applicationDown(peer)
  }

  /** The relay ends: its kernel closes its connections, and with them both ends of each circuit. */
  endCircuits(relay: Endpoint): void {
    for (const connection of relay.circuits) {
      for (const endpoint of [connection.dialer, connection.listener]) {
        if (!this.#reachability.reaches(relay, endpoint)) continue
        this.#clock.after(this.#transit.packet(relay, endpoint), () => endpoint.listening && this.closed(connection, endpoint))
      }
    }
    relay.circuits.clear()
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
      const isDialable = connection.relay === undefined && (peer === connection.listener || peer.dialableFrom(endpoint))
      endpoint.events.linkUp(peer, isDialable)
    }
  }

  /** Answers data for an unknown connection with RST, unless a close is already on its way. */
  #reset(connection: Connection<Endpoint>, endpoint: Endpoint): void {
    const pipe = connection.pipeFrom(endpoint)
    if (pipe.closing) return
    pipe.closing = true
    this.transmit(pipe, { item: 'close', stream: resetBytes, trafficClass: setUp, cost: 0 })
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
    const bytes = pipe.bytesTaken
    to.traffic.received.add(pipe.classTaken, bytes)
    acknowledgeArrival(pipe, bytes, this.#clock.now)
    if (item === 'part') return
    if (item === 'close') this.closed(connection, to)
    else if (pipe.open) {
      if (item instanceof GossipMessage) to.events.message(from, item)
      else if (item instanceof GossipControl) to.events.control(from, item)
      else if (connection.use === 'application') to.events.application(from, item)
      else {
        to.traffic.framesReceived += 1
        to.traffic.frameBytesReceived += item.length
        to.events.frame(from, item, pipe.urgentTaken)
      }
    } else this.#reset(connection, to)
  }
}

/** Counts a message with its headers at both ends. */
export function count(from: Endpoint, to: Endpoint, trafficClass: ClassNumber, stream: number, headers: number): void {
  from.traffic.sent.add(trafficClass, stream + headers)
  from.traffic.sent.headerBytes += headers
  to.traffic.received.add(trafficClass, stream + headers)
}
