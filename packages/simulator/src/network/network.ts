import type { Address, DialFailure, KnockOutcome, Milliseconds, NodeId } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import { Connection, type Item, type Pipe } from './connection.ts'
import { loopback, type Delay } from './delay.ts'
import { Dialling, type DiallingOptions } from './dialling.ts'
import type { Endpoint } from './endpoint.ts'
import { Reachability } from './reachability.ts'

export interface NetworkOptions extends DiallingOptions {
  readonly delay: Delay
  /** Share of the packets that get lost, 0 to 1. On a connection that shows as delay: TCP sends them again. */
  readonly loss: number
}

export const defaultNetwork: NetworkOptions = {
  delay: loopback,
  loss: 0,
  // As the overlay has them.
  connectTimeout: 2_000,
  dialTimeout: 8_000,
  knockTimeout: 1_200,
  setupDelays: 3,
}

/** First wait before TCP sends something again, and the longest. Linux: TCP_RTO_MIN and TCP_RTO_MAX. */
const retransmitMin = 200
const retransmitMax = 120_000
/** After this long without an acknowledgement TCP breaks the connection. Linux: tcp_retries2 = 15. */
const retransmitFor = 924_600

/**
 * Connections between processes, in memory. It behaves as TCP does where it matters: nothing is lost or reordered on a
 * connection, loss is delay, a cut path breaks nothing at once and what was sent into it arrives after the mending, and the end
 * of a process is seen by its peers one delay later. One simplification: acknowledgements always get through, so a path
 * that is cut in one direction only goes on carrying the other.
 */
export class Network {
  readonly reachability = new Reachability()
  readonly #clock: VirtualClock
  readonly #random: () => number
  readonly #options: NetworkOptions
  readonly #dialling: Dialling
  readonly #held = new Set<Pipe>()
  readonly #arrived = (pipe: Pipe): void => this.#arrive(pipe)

  constructor(clock: VirtualClock, random: () => number, options: Partial<NetworkOptions> = {}) {
    this.#clock = clock
    this.#random = random
    this.#options = { ...defaultNetwork, ...options }
    this.#dialling = new Dialling(
      clock,
      this.reachability,
      this.#options,
      (from, to) => this.#packetDelay(from, to),
      (dialer, target) => this.#connect(dialer, target),
    )
  }

  listen(endpoint: Endpoint): void {
    this.#dialling.listen(endpoint)
  }

  /** Ends in `linkUp`, in a call of `failed`, or in neither if a link to `peer` is up. */
  dial(from: Endpoint, peer: NodeId | undefined, addresses: readonly Address[], failed: (failure: DialFailure) => void): void {
    if (peer !== undefined && from.connections.has(peer)) return
    from.traffic.dials += 1
    this.#dialling.dial(from, peer, addresses, failed)
  }

  knock(from: Endpoint, addresses: readonly Address[], done: (outcome: KnockOutcome) => void): void {
    from.traffic.knocks += 1
    this.#dialling.knock(from, addresses, done)
  }

  /** False if there is no link. */
  send(from: Endpoint, to: NodeId, item: Item): boolean {
    const connection = from.connections.get(to)?.at(-1)
    if (connection === undefined) return false
    this.#transmit(connection.pipeFrom(from), item)
    return true
  }

  /** Closes this end of the link, after what was sent is on its way. The end itself hears of it next. */
  disconnect(from: Endpoint, peer: NodeId): void {
    for (const connection of from.connections.get(peer) ?? []) this.#farewell(connection, from)
    const closed = from.connections.get(peer)?.at(-1)
    if (closed === undefined) return
    from.connections.delete(peer)
    this.#clock.after(0, () => from.listening && from.events.linkDown(closed.other(from)))
  }

  /** The process is gone; its kernel closes what it had open. */
  exit(endpoint: Endpoint): void {
    endpoint.listening = false
    for (const connections of endpoint.connections.values()) {
      for (const connection of connections) this.#farewell(connection, endpoint)
    }
    endpoint.connections.clear()
    this.#dialling.mended()
  }

  woken(endpoint: Endpoint): void {
    this.#dialling.woken(endpoint)
  }

  /** To be called when paths came back: what waited for them goes on with TCP's next attempt. */
  mended(): void {
    this.#dialling.mended()
    for (const pipe of this.#held) {
      if (!this.reachability.reaches(pipe.from, pipe.to)) continue
      if (pipe.retry !== undefined) this.#clock.cancel(pipe.retry)
      pipe.retry = this.#clock.at(this.#nextRetransmission(pipe), () => this.#retry(pipe))
    }
  }

  #connect(dialer: Endpoint, listener: Endpoint): void {
    const connection = new Connection(dialer, listener, this.#clock.now, this.#arrived)
    this.#transmit(connection.toListener, 'open')
    this.#open(connection, dialer)
  }

  #open(connection: Connection, endpoint: Endpoint): void {
    const peer = connection.other(endpoint)
    const others = endpoint.connections.get(peer.id)
    if (others !== undefined) others.push(connection)
    else {
      endpoint.connections.set(peer.id, [connection])
      endpoint.events.linkUp(peer, peer === connection.listener || peer.dialable)
    }
  }

  /** The other side said goodbye, or nothing for too long. */
  #closed(connection: Connection, endpoint: Endpoint): void {
    const peer = connection.other(endpoint)
    const connections = endpoint.connections.get(peer.id)
    const at = connections?.indexOf(connection) ?? -1
    if (connections === undefined || at < 0) return
    connections.splice(at, 1)
    if (connections.length > 0) return
    endpoint.connections.delete(peer.id)
    endpoint.events.linkDown(peer)
  }

  #farewell(connection: Connection, endpoint: Endpoint): void {
    const pipe = connection.pipeFrom(endpoint)
    if (pipe.held > 0) pipe.drop()
    this.#transmit(pipe, 'close')
  }

  #transmit(pipe: Pipe, item: Item): void {
    pipe.put(item)
    pipe.lastArrival = Math.max(pipe.lastArrival, this.#clock.now + this.#packetDelay(pipe.from, pipe.to))
    this.#clock.at(pipe.lastArrival, pipe.arrive)
  }

  #packetDelay(from: Endpoint, to: Endpoint): Milliseconds {
    const { loss, delay } = this.#options
    const oneWay = delay(from.index, to.index, this.#random)
    if (loss === 0) return oneWay
    let lost = 0
    for (let wait = retransmitMin + 2 * oneWay; this.#random() < loss; wait = Math.min(wait * 2, retransmitMax)) lost += wait
    return oneWay + lost
  }

  #arrive(pipe: Pipe): void {
    if (pipe.held > 0) pipe.held += 1
    else if (this.reachability.reaches(pipe.from, pipe.to)) this.#deliver(pipe)
    else {
      pipe.held = 1
      pipe.heldSince = this.#clock.now
      pipe.giveUp = this.#clock.after(retransmitFor, () => this.#giveUp(pipe))
      this.#held.add(pipe)
    }
  }

  #nextRetransmission(pipe: Pipe): Milliseconds {
    let wait = retransmitMin
    let at = pipe.heldSince + wait
    while (at < this.#clock.now) {
      wait = Math.min(wait * 2, retransmitMax)
      at += wait
    }
    return at
  }

  #retry(pipe: Pipe): void {
    pipe.retry = undefined
    if (!this.reachability.reaches(pipe.from, pipe.to)) return
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) this.#deliver(pipe)
  }

  #giveUp(pipe: Pipe): void {
    pipe.drop()
    for (let waiting = this.#release(pipe); waiting > 0; waiting--) pipe.take()
    this.#closed(pipe.connection, pipe.from)
  }

  #release(pipe: Pipe): number {
    const { held } = pipe
    pipe.held = 0
    this.#held.delete(pipe)
    if (pipe.giveUp !== undefined) this.#clock.cancel(pipe.giveUp)
    if (pipe.retry !== undefined) this.#clock.cancel(pipe.retry)
    pipe.giveUp = undefined
    pipe.retry = undefined
    return held
  }

  #deliver(pipe: Pipe): void {
    const item = pipe.take()
    const { connection, from, to } = pipe
    if (item === 'open') {
      if (to.listening) this.#open(connection, to)
      else this.#transmit(connection.pipeFrom(to), 'close')
    } else if (item === 'close') this.#closed(connection, to)
    else if (item !== 'dropped' && to.connections.get(from.id)?.includes(connection) === true) {
      if (item instanceof Uint8Array) to.events.frame(from, item)
      else to.events.message(from, item)
    }
  }
}
