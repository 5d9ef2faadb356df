import { relaysOf, type Member, type NodeId } from '@jel/protocol'
import type { Connection, Libp2p } from '@libp2p/interface'
import type { Dialer } from '../dialing/dialing.ts'
import { answers } from '../host/muxer.ts'
import { directConnections } from '../circuits/circuit-transport.ts'

/** Interval at which a hidden member looks after its connections to relays, ms. Guess. */
export const relayInterval = 5_000
/**
 * Interval of the questions whether a relay still answers, ms, and time for an answer. A router may
 * forget a silent connection. Guess: many keep one for five minutes.
 */
const [askInterval, answerTime] = [60_000, 15_000]
/** Longest pause between two dials to a relay that does not answer, ms. Guess. */
const longestPause = 300_000
/** A verdict on a connection counts for this time, ms. Guess: relays change seldom. */
const verdictTime = 10_000
/** Verdicts in memory. Guess: more than a node has connections. */
const maxVerdicts = 1_024

export interface RelayConnectionsOptions {
  readonly libp2p: Libp2p
  readonly dialer: Dialer
  readonly self: () => Member | undefined
  readonly find: (id: NodeId) => Member | undefined
  readonly members: () => Iterable<Member>
  readonly today: () => number
}

/** The connections of a hidden member to its relays. They are its reservations. */
export class RelayConnections {
  readonly #options: RelayConnectionsOptions
  readonly #dialling = new Set<NodeId>()
  readonly #askedAt = new WeakMap<Connection, number>()
  readonly #verdicts = new Map<NodeId, { readonly keeps: boolean; readonly until: number }>()
  /** Relays that did not answer: the last pause, and its end. */
  readonly #pauses = new Map<NodeId, { readonly pause: number; readonly until: number }>()
  #relays: ReadonlySet<NodeId> = new Set()

  constructor(options: RelayConnectionsOptions) {
    this.#options = options
  }

  /**
   * Whether a connection stays though nothing uses it: the peer relays for this node, or this node
   * may relay for the peer. One connection is enough: the youngest.
   */
  keeps(connection: Connection): boolean {
    const peer = connection.remotePeer.toString()
    if (directConnections(this.#options.libp2p, peer).at(-1) !== connection) return false
    if (this.#relays.has(peer)) return true
    const now = performance.now()
    const known = this.#verdicts.get(peer)
    if (known !== undefined && now < known.until) return known.keeps
    const keeps = this.#mayRelay(peer)
    if (this.#verdicts.size >= maxVerdicts) this.#verdicts.clear()
    this.#verdicts.set(peer, { keeps, until: now + verdictTime })
    return keeps
  }

  #mayRelay(peer: NodeId): boolean {
    const { self, find, members, today } = this.#options
    const [own, member] = [self(), find(peer)]
    if (own?.reach !== 'direct' || member === undefined || member.reach === 'direct') return false
    return relaysOf(peer, members(), today()).some(({ id }) => id === own.id)
  }

  /** Connects to relays without a connection, and asks the others whether they answer. */
  look(): void {
    const { self, members, today, libp2p } = this.#options
    const own = self()
    const relays = own === undefined || own.reach === 'direct' ? [] : relaysOf(own.id, members(), today())
    this.#relays = new Set(relays.map(({ id }) => id))
    for (const id of this.#pauses.keys()) if (!this.#relays.has(id)) this.#pauses.delete(id)
    for (const relay of relays) {
      const connections = directConnections(libp2p, relay.id)
      if (connections.length === 0) void this.#connect(relay)
      for (const connection of connections) void this.#ask(connection)
    }
  }

  async #connect({ id, addresses }: Member): Promise<void> {
    const paused = this.#pauses.get(id)
    if (this.#dialling.has(id) || performance.now() < (paused?.until ?? 0)) return
    this.#dialling.add(id)
    try {
      await this.#options.dialer.connect(id, addresses)
      this.#pauses.delete(id)
    } catch {
      // The relay may come back. Meanwhile the others relay.
      const pause = Math.min(longestPause, 2 * (paused?.pause ?? relayInterval / 2))
      this.#pauses.set(id, { pause, until: performance.now() + pause })
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
