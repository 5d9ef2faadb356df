import type { Milliseconds } from '@jel/protocol'
import type { EventHandle } from '../engine/event-queue.ts'
import type { Endpoint } from './endpoint.ts'
import type { GossipControl } from './gossip-control.ts'
import type { GossipMessage } from './gossip-message.ts'
import type { TcpFlow } from './tcp-flow.ts'
import { purposes, type PurposeNumber } from './traffic.ts'
import type { Payload } from './payload.ts'

/** What travels: a frame, a broadcast, gossipsub's own words, the news that the connection is open or closed, a part of something that is whole with the last one, or nothing where something was dropped. */
export type Item = Payload | GossipMessage | GossipControl | 'open' | 'close' | 'part' | 'dropped'

/** Something that is sent in parts. */
export interface Parted {
  readonly data: Payload
  /** Bytes that have not been sent. */
  left: number
  /** Between two parts at least, ms: what slow start takes. */
  readonly pace: Milliseconds
}

/** What a connection carries: the link of the protocol, or streams of the application. */
export type ConnectionUse = 'link' | 'application'

/**
 * One direction of a connection: items arrive in the order in which they were sent, so one function that takes the first of
 * them serves all arrivals, and an item in flight costs no closure.
 */
export class Pipe {
  readonly connection: Connection
  readonly from: Endpoint
  readonly to: Endpoint
  /** Scheduled once for each item. */
  readonly arrive: () => void
  /** Cables or processors on the way take time. */
  readonly shaped: boolean
  /** When the last of the items will arrive. */
  lastArrival: Milliseconds = 0
  /** The delay of the path when it was last used. */
  lastDelay: Milliseconds = 0
  /** Its congestion window, once it was needed. */
  flow: TcpFlow | undefined
  /** When something was last sent, and when on the link's own stream: what leaves in one tick shares headers. */
  departed: Milliseconds = -1
  recordOpened: Milliseconds = -1
  /** Since when a packet that arrived has not been acknowledged. */
  unacknowledgedSince: Milliseconds | undefined
  /** How many items should have arrived and could not: the sender's kernel keeps them and tries again. */
  held = 0
  heldSince: Milliseconds = 0
  /** The next attempt to send what is held. */
  retry: EventHandle | undefined
  /** When the kernel stops trying. */
  giveUp: EventHandle | undefined
  /** Of an application: what is being sent in parts, the first of it under way. */
  readonly parts: Parted[] = []
  /** The connection is open at the receiving end. */
  open = false
  /** The sending end has closed the connection, and the news of that is on its way. */
  closing = false
  /** A queue from `next` to `end`; both begin anew when it is empty. */
  readonly #items: Item[] = []
  /** Of each item, its bytes on the wire, its purpose and whether it is urgent, in one number. */
  readonly #sizes: number[] = []
  #next = 0
  #end = 0
  #size = 0

  constructor(connection: Connection, from: Endpoint, to: Endpoint, arrived: (pipe: Pipe) => void) {
    this.connection = connection
    this.from = from
    this.to = to
    this.shaped = from.shapes || to.shapes || from.machine.site !== to.machine.site
    this.arrive = () => arrived(this)
  }

  put(item: Item, bytes: number, purpose: PurposeNumber, urgent: boolean): void {
    this.#items[this.#end] = item
    this.#sizes[this.#end] = (bytes * purposes.length + purpose) * 2 + (urgent ? 1 : 0)
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

  /** Of the item taken last. */
  get purposeTaken(): PurposeNumber {
    return Math.floor(this.#size / 2) % purposes.length
  }

  /** Whether the item taken last came on the stream of failure detection. */
  get urgentTaken(): boolean {
    return this.#size % 2 === 1
  }

  /** On the wire, of the item taken last. */
  get bytesTaken(): number {
    return Math.floor(this.#size / 2 / purposes.length)
  }

  /** Forgets what is under way; the arrivals stay scheduled and bring nothing. */
  drop(): void {
    this.#items.fill('dropped', this.#next, this.#end)
    this.parts.length = 0
  }
}

export interface ConnectionFields extends Pick<Connection, 'established' | 'use' | 'since'> {
  /** Called for each item that arrives. */
  readonly arrived: (pipe: Pipe) => void
}

/** One TCP connection. Each end learns on its own that it opened and that it closed. */
export class Connection {
  readonly dialer: Endpoint
  readonly listener: Endpoint
  readonly toDialer: Pipe
  readonly toListener: Pipe
  readonly use: ConnectionUse
  readonly since: Milliseconds
  /** Called when the dialler hears that it is through. False if it has given up by then. */
  readonly established: () => boolean

  constructor(dialer: Endpoint, listener: Endpoint, { arrived, established, use, since }: ConnectionFields) {
    this.use = use
    this.since = since
    this.established = established
    this.dialer = dialer
    this.listener = listener
    this.toDialer = new Pipe(this, listener, dialer, arrived)
    this.toListener = new Pipe(this, dialer, listener, arrived)
  }

  other(endpoint: Endpoint): Endpoint {
    return endpoint === this.dialer ? this.listener : this.dialer
  }

  pipeFrom(endpoint: Endpoint): Pipe {
    return endpoint === this.dialer ? this.toListener : this.toDialer
  }

  pipeTo(endpoint: Endpoint): Pipe {
    return endpoint === this.dialer ? this.toDialer : this.toListener
  }
}
