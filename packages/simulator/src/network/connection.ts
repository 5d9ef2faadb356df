import type { Milliseconds } from '@jel/protocol'
import type { EventHandle } from '../engine/event-queue.ts'
import type { Endpoint } from './endpoint.ts'
import type { GossipMessage } from './gossip-message.ts'

/** What travels: a frame, a broadcast, the news that the connection is open or closed, or nothing where something was dropped. */
export type Item = Uint8Array | GossipMessage | 'open' | 'close' | 'dropped'

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
  /** When the last of the items will arrive. */
  lastArrival: Milliseconds = 0
  /** How many items should have arrived and could not: the sender's kernel keeps them and tries again. */
  held = 0
  heldSince: Milliseconds = 0
  /** The next attempt to send what is held. */
  retry: EventHandle | undefined
  /** When the kernel stops trying. */
  giveUp: EventHandle | undefined
  #items: Item[] = []
  #next = 0

  constructor(connection: Connection, from: Endpoint, to: Endpoint, arrived: (pipe: Pipe) => void) {
    this.connection = connection
    this.from = from
    this.to = to
    this.arrive = () => arrived(this)
  }

  put(item: Item): void {
    this.#items.push(item)
  }

  take(): Item {
    const item = this.#items[this.#next++] ?? 'dropped'
    if (this.#next === this.#items.length) {
      this.#items = []
      this.#next = 0
    }
    return item
  }

  /** Forgets what is under way; the arrivals stay scheduled and bring nothing. */
  drop(): void {
    this.#items.fill('dropped', this.#next)
  }
}

/** One TCP connection. Each end learns on its own that it opened and that it closed. */
export class Connection {
  readonly dialer: Endpoint
  readonly listener: Endpoint
  readonly toDialer: Pipe
  readonly toListener: Pipe
  readonly openedAt: Milliseconds

  constructor(dialer: Endpoint, listener: Endpoint, openedAt: Milliseconds, arrived: (pipe: Pipe) => void) {
    this.dialer = dialer
    this.listener = listener
    this.openedAt = openedAt
    this.toDialer = new Pipe(this, listener, dialer, arrived)
    this.toListener = new Pipe(this, dialer, listener, arrived)
  }

  other(endpoint: Endpoint): Endpoint {
    return endpoint === this.dialer ? this.listener : this.dialer
  }

  pipeFrom(endpoint: Endpoint): Pipe {
    return endpoint === this.dialer ? this.toListener : this.toDialer
  }
}
