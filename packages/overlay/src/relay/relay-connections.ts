import type { Member, NodeId } from '@jel/protocol'
import type { Connection, Libp2p } from '@libp2p/interface'
import type { Dialer } from '../dialing/dialing.ts'
import { answers } from '../host/muxer.ts'
import { isDirect } from '../circuits/circuit-transport.ts'
import { relaysOf } from './relays.ts'

/** Interval at which a hidden member looks after its connections to relays, ms. Guess. */
export const relayInterval = 5_000
/**
 * Interval of the questions whether a relay still answers, ms, and time for an answer. A router may
 * forget a silent connection. Guess: many keep one for five minutes.
 */
const [askInterval, answerTime] = [60_000, 5_000]

export interface RelayConnectionsOptions {
  readonly libp2p: Libp2p
  readonly dialer: Dialer
  readonly self: () => Member | undefined
  readonly members: () => Iterable<Member>
  readonly today: () => number
}

/** The connections of a hidden member to its relays. They are its reservations. */
export class RelayConnections {
  readonly #options: RelayConnectionsOptions
  readonly #dialling = new Set<NodeId>()
  readonly #askedAt = new WeakMap<Connection, number>()
  #relays: ReadonlySet<NodeId> = new Set()

  constructor(options: RelayConnectionsOptions) {
    this.#options = options
  }

  /**
   * Whether the connection to this peer stays though nothing uses it: the peer relays for this
   * node, or this node may relay for the peer.
   */
  keeps(peer: NodeId): boolean {
    const { self, members, today } = this.#options
    if (this.#relays.has(peer)) return true
    const own = self()
    if (own?.reach !== 'direct') return false
    const all = [...members()]
    const member = all.find(({ id }) => id === peer)
    return member !== undefined && member.reach !== 'direct' && relaysOf(peer, all, today()).some(({ id }) => id === own.id)
  }

  /** Connects to relays without a connection, and asks the others whether they answer. */
  look(): void {
    const { self, members, today, libp2p } = this.#options
    const own = self()
    const relays = own === undefined || own.reach === 'direct' ? [] : relaysOf(own.id, members(), today())
    this.#relays = new Set(relays.map(({ id }) => id))
    for (const relay of relays) {
      const connections = libp2p
        .getConnections()
        .filter((each) => each.remotePeer.toString() === relay.id && each.status === 'open' && isDirect(each))
      if (connections.length === 0) void this.#connect(relay)
      for (const connection of connections) void this.#ask(connection)
    }
  }

  async #connect({ id, addresses }: Member): Promise<void> {
    if (this.#dialling.has(id)) return
    this.#dialling.add(id)
    try {
      await this.#options.dialer.connect(id, addresses)
    } catch {
      // The relay may come back. Meanwhile the others relay.
    } finally {
      this.#dialling.delete(id)
    }
  }

  async #ask(connection: Connection): Promise<void> {
    const now = performance.now()
    if (now - (this.#askedAt.get(connection) ?? connection.timeline.open - Date.now() + now) < askInterval) return
    this.#askedAt.set(connection, now)
    if (!(await answers(connection, answerTime))) connection.abort(new Error('the relay does not answer'))
  }
}
