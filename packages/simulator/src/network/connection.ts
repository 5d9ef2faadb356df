import type { Milliseconds } from '@jel/protocol'
import type { EventHandle } from '@jel/machine'
import type { GossipControl } from './gossip-control.ts'
import type { GossipMessage } from './gossip-message.ts'
import type { Machine } from './machine.ts'
import type { TcpFlow } from './tcp-flow.ts'
import { trafficClasses, type ClassNumber } from './traffic.ts'
import type { Payload } from './payload.ts'

/**
 * An item in flight. `open` and `close` open and close the connection. `part` is a part of a longer
 * item. The last part carries the item itself. `dropped` holds the place of a dropped item.
 */
export type Item = Payload | GossipMessage | GossipControl | 'open' | 'close' | 'part' | 'dropped'

/** An item that leaves in parts. */
export interface Parted {
  readonly data: Payload
  /** Bytes that have not left yet. */
  left: number
  /** The least time between two parts, ms, as slow start requires. */
  readonly pace: Milliseconds
}

/** The use of a connection: the link of the protocol, or streams of the application. */
export type ConnectionUse = 'link' | 'application'

/** An end of a connection: a process. */
export interface ConnectionEnd {
  readonly machine: Machine
  /** True if cables or processors at this end delay packets. */
  readonly shapes: boolean
}

/**
 * One direction of a connection. Items arrive in the order of sending. So one function takes the
 * first item at each arrival, and an item in flight costs no closure.
 */
export class Pipe<End extends ConnectionEnd> {
  readonly connection: Connection<End>
  readonly from: End
  readonly to: End
  /** Scheduled once for each item. */
  readonly arrive: () => void
  /** True if cables or processors on the path may delay packets. */
  readonly shaped: boolean
  /** The arrival time of the last item. */
  lastArrival: Milliseconds = 0
  /** The delay of the path at its last use. */
  lastDelay: Milliseconds = 0
  /** The congestion window. Its first use creates it. */
  flow: TcpFlow | undefined
  /**
   * `departed`: the time of the last packet. `recordOpened`: the time of the last record on the
   * link's own stream. All data that leaves in one tick shares headers.
   */
  departed: Milliseconds = -1
  recordOpened: Milliseconds = -1
  /** The time of the oldest arrival without an acknowledgement. */
  unacknowledgedSince: Milliseconds | undefined
  /** The number of items that could not arrive. The sender's kernel keeps them and retries. */
  held = 0
  heldSince: Milliseconds = 0
  /** The next attempt to send the held items. */
  retry: EventHandle | undefined
  /** The event at which the kernel gives up. */
  giveUp: EventHandle | undefined
  /** Items of an application that leave in parts. The first item is under way. */
  readonly parts: Parted[] = []
  /** True while the connection is open at the receiving end. */
  open = false
  /** True once the sending end has closed the connection. */
  closing = false
  /** A queue from `next` to `end`. Both return to 0 when it is empty. */
  readonly #items: Item[] = []
  /** One number for each item: its bytes on the wire, its class, and whether it is urgent. */
  readonly #sizes: number[] = []
  #next = 0
  #end = 0
  #size = 0

  constructor(connection: Connection<End>, from: End, to: End, arrived: (pipe: Pipe<End>) => void) {
    this.connection = connection
    this.from = from
    this.to = to
    const ends = connection.relay === undefined ? [from, to] : [from, connection.relay, to]
    this.shaped = ends.some(({ shapes, machine }) => shapes || machine.site !== from.machine.site)
    this.arrive = () => arrived(this)
  }

  put(item: Item, bytes: number, trafficClass: ClassNumber, urgent: boolean): void {
    this.#items[this.#end] = item
    this.#sizes[this.#end] = (bytes * trafficClasses.length + trafficClass) * 2 + (urgent ? 1 : 0)
    this.#end += 1
  }

  take(): Item {
    if (this.#next === this.#end) {
      this.#size = 0
      return 'dropped'
    }
    const item = this.#items[this.#next] as Item
    this.#size = this.#sizes[this.#next] as number
    this.#items[this.#next] = 'dropped'
    this.#next += 1
    if (this.#next === this.#end) {
      this.#next = 0
      this.#end = 0
    }
    return item
  }

  /** The class of the item taken last. */
  get classTaken(): ClassNumber {
    return Math.floor(this.#size / 2) % trafficClasses.length
  }

  /** Whether the item taken last came on the stream of failure detection. */
  get urgentTaken(): boolean {
    return this.#size % 2 === 1
  }

  /** The bytes on the wire of the item taken last. */
  get bytesTaken(): number {
    return Math.floor(this.#size / 2 / trafficClasses.length)
  }

  /** Drops the items in flight. Their arrivals stay scheduled and deliver nothing. */
  drop(): void {
    this.#items.fill('dropped', this.#next, this.#end)
    this.parts.length = 0
  }
}

export interface ConnectionFields<End extends ConnectionEnd> extends Pick<Connection<End>, 'established' | 'use' | 'since' | 'relay'> {
  /** Called for each item that arrives. */
  readonly arrived: (pipe: Pipe<End>) => void
}

/**
 * One TCP connection, or a circuit over a relay. Each end learns separately of its opening and
 * closing.
 */
export class Connection<End extends ConnectionEnd> {
  readonly dialer: End
  readonly listener: End
  readonly toDialer: Pipe<End>
  readonly toListener: Pipe<End>
  readonly use: ConnectionUse
  readonly since: Milliseconds
  /** The process that passes on the packets of a circuit. */
  readonly relay: End | undefined
  /** Called when the opening reaches the dialler. Returns false if the dialler has given up. */
  readonly established: () => boolean

  constructor(dialer: End, listener: End, { arrived, established, use, since, relay }: ConnectionFields<End>) {
    this.relay = relay
    this.use = use
    this.since = since
    this.established = established
    this.dialer = dialer
    this.listener = listener
    this.toDialer = new Pipe(this, listener, dialer, arrived)
    this.toListener = new Pipe(this, dialer, listener, arrived)
  }

  other(endpoint: End): End {
    return endpoint === this.dialer ? this.listener : this.dialer
  }

  pipeFrom(endpoint: End): Pipe<End> {
    return endpoint === this.dialer ? this.toListener : this.toDialer
  }

  pipeTo(endpoint: End): Pipe<End> {
    return endpoint === this.dialer ? this.toDialer : this.toListener
  }
}
