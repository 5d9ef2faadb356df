/** All links of a host, at most one per peer. */
import { randomBytes } from '#platform/crypto'
import type { NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { asError } from '../base/errors.ts'
import { StreamPair, instanceBytes, type StreamPairEvents, type StreamPairOptions } from './stream-pair.ts'
import { FrameStream } from './frame-stream.ts'
import { Link } from './link.ts'
import { later } from '../base/timers.ts'
import { isDirect } from '../circuits/circuit-transport.ts'

/**
 * The largest number of streams of a link. Simultaneous dials of both sides give two. More than
 * this number is no accident. Guess.
 */
const maxPairs = 4

/**
 * A connection may stay open for this time without a link and without a stream of the application,
 * ms. Guess.
 */
const defaultIdleTime = 15_000

/** Time for the frames that are on their way over a relay, ms. Guess: a round trip. */
const leaveTime = 1_000

export interface LinksOptions {
  /** Longest frame, bytes. */
  readonly maxFrameBytes: number
  /** Protocol ids of the streams for urgent frames, newest first. */
  readonly urgent: readonly string[]
  /**
   * Whether a protocol is the overlay's own. Its streams don't keep a connection open once the link
   * is closed.
   */
  readonly isOwn: (protocol: string) => boolean
  /** Whether a connection stays though nothing uses it. Default: none does. */
  readonly keeps?: (connection: Connection) => boolean
  /** Returns whether the other end of a connection answers. Default: it does. */
  readonly answers?: (connection: Connection) => Promise<boolean>
  /** Longest time in which a connection may be unused, ms. */
  readonly idleTime?: number
  /** Longest time in which a peer may take no data, ms. */
  readonly stallTimeout?: number | undefined
}

export interface LinksEvents {
  onUp(peer: NodeId, connection: Connection): void
  onFrame(peer: NodeId, data: Uint8Array): void
  onDown(peer: NodeId): void
  /** The connection in use broke, or a better one came up. Now `connection` carries the link. */
  onMoved(connection: Connection): void
  /** The peer violated a limit, and this node cut it off. */
  onMisbehaviour(peer: NodeId, problem: string): void
}

export class Links {
  readonly #options: LinksOptions
  readonly #events: LinksEvents
  readonly #pairOptions: StreamPairOptions
  readonly #pairEvents: StreamPairEvents
  readonly #links = new Map<NodeId, Link>()

  constructor(options: LinksOptions, events: LinksEvents) {
    this.#options = options
    this.#events = events
    const { maxFrameBytes, urgent, stallTimeout } = options
    this.#pairOptions = { maxFrameBytes, urgent, stallTimeout, instance: randomBytes(instanceBytes) }
    this.#pairEvents = {
      onInstance: (pair, instance) => this.#named(pair, instance),
      onFrame: (pair, data) => this.#linkOf(pair) && this.#events.onFrame(pair.peer, data),
      onEnd: (pair) => this.#ended(pair),
      onMisbehaviour: (pair, problem) => this.#linkOf(pair) && this.#cutOff(pair.peer, problem),
    }
  }

  get count(): number {
    return this.#links.size
  }

  has(peer: NodeId): boolean {
    return this.#links.has(peer)
  }

  /**
   * Takes a stream that either side opened. Returns false if the stream is closed already, or the
   * link has too many streams.
   */
  add(stream: Stream, connection: Connection): boolean {
    const link = this.#links.get(connection.remotePeer.toString())
    if (!FrameStream.isUsable(stream) || (link && link.pairs.length >= maxPairs)) {
      stream.abort(new Error(link ? 'too many streams for one link' : 'closed while it was being opened'))
      return false
    }
    const pair = new StreamPair(stream, connection, this.#pairOptions, this.#pairEvents)
    if (link) {
      link.add(pair)
      void this.#review(link, connection)
    } else this.#up(pair)
    return true
  }

  /**
   * Ends the older connections of a link that do not answer. The peer may have connected again
   * because they are dead at its end. If a router lost its state, perhaps only one end notices it.
   */
  async #review(link: Link, newest: Connection): Promise<void> {
    const { answers } = this.#options
    const older = link.connections.filter((each) => each !== newest)
    await Promise.all(
      older.map(async (connection) => {
        if ((await answers?.(connection)) === false) connection.abort(new Error('the peer does not answer on it'))
      }),
    )
  }

  /** Takes a stream for urgent frames, on a connection that carries a link. */
  addUrgent(stream: Stream, connection: Connection): void {
    const link = this.#links.get(connection.remotePeer.toString())
    const pair = link?.pairs.find((each) => each.connection === connection)
    if (pair && FrameStream.isUsable(stream)) pair.addUrgent(stream)
    else stream.abort(new Error('there is no link on this connection'))
  }

  /**
   * Sends a frame. Drops the frame if there is no link: the protocol learns of the link's end from
   * `onDown`. Urgent frames don't wait for other frames.
   */
  send(peer: NodeId, data: Uint8Array, isUrgent = false): void {
    this.#links.get(peer)?.send(data, isUrgent)
  }

  /** For this time, ms, delivers only urgent frames of this peer. */
  pause(peer: NodeId, time: number): void {
    this.#links.get(peer)?.pause(time)
  }

  /** Takes a link down, flushes it, and closes its connections unless the application uses them. */
  async close(peer: NodeId): Promise<void> {
    const link = this.#links.get(peer)
    if (!link) return
    const { connections } = link
    const pairs = [...link.pairs]
    this.#down(peer)
    await Promise.all(pairs.map(async (pair) => await pair.close()))
    await Promise.all(connections.map(async (connection) => await this.#closeIfUnused(connection)))
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#links.keys()].map(async (peer) => await this.close(peer)))
  }

  /**
   * Closes a connection later, if nothing uses it by then. The application may open its next stream
   * on it before.
   */
  closeIfUnusedLater(connection: Connection): void {
    later(() => void this.#closeIfUnused(connection), this.#options.idleTime ?? defaultIdleTime)
  }

  #up(pair: StreamPair, instance?: string): void {
    const { peer } = pair
    const link = new Link(pair)
    link.instance = instance
    this.#links.set(peer, link)
    this.#events.onUp(peer, pair.connection)
  }

  #down(peer: NodeId): void {
    if (this.#links.delete(peer)) this.#events.onDown(peer)
  }

  /**
   * Handles the name of the process at the other end of a stream pair. This process may be a new
   * one, the successor of the link's process. A host that lost power connects again long before
   * anybody notices that its old connection is dead. Then the protocol sees two links, one after
   * the other.
   */
  #named(pair: StreamPair, instance: string): void {
    const link = this.#linkOf(pair)
    if (!link) return
    link.instance ??= instance
    if (link.instance === instance) {
      if (isDirect(pair.connection)) void this.#leaveCircuits(link, pair)
      return
    }
    const { peer } = pair
    link.remove(pair)
    const former = [...link.pairs]
    this.#down(peer)
    for (const { connection } of former) connection.abort(new Error('another process of this peer has connected'))
    this.#up(pair, instance)
  }

  /**
   * Moves a link to a connection that passes no relay. Frames on their way over relays still come.
   */
  async #leaveCircuits(link: Link, direct: StreamPair): Promise<void> {
    const left = link.pairs.filter(({ connection }) => !isDirect(connection))
    if (left.length === 0) return
    link.prefer(direct)
    await Promise.all(left.map(async (pair) => await pair.close()))
    later(() => {
      for (const pair of left) link.remove(pair)
      // The direct connection may have ended meanwhile.
      if (link.pairs.length === 0 && this.#links.get(direct.peer) === link) this.#down(direct.peer)
      const closed = left.map(async ({ connection }) => await this.#closeIfUnused(connection))
      void Promise.all(closed).then(() => this.#linkOf(direct) && this.#events.onMoved(direct.connection))
    }, leaveTime)
  }

  #ended(pair: StreamPair): void {
    const link = this.#linkOf(pair)
    if (!link) return
    const wasInUse = link.pairs[0] === pair
    link.remove(pair)
    void pair.close()
    this.closeIfUnusedLater(pair.connection)
    const [next] = link.pairs
    if (!next) this.#down(pair.peer)
    else if (wasInUse) this.#events.onMoved(next.connection)
  }

  #cutOff(peer: NodeId, problem: string): void {
    const link = this.#links.get(peer)
    if (!link) return
    const pairs = [...link.pairs]
    this.#events.onMisbehaviour(peer, problem)
    this.#down(peer)
    for (const pair of pairs) {
      pair.abort(new Error(problem))
      pair.connection.abort(new Error(problem))
    }
  }

  /** Returns undefined if the stream pair belongs to no link any more. */
  #linkOf(pair: StreamPair): Link | undefined {
    const link = this.#links.get(pair.peer)
    return link?.pairs.includes(pair) === true ? link : undefined
  }

  async #closeIfUnused(connection: Connection): Promise<void> {
    if (connection.status !== 'open' || this.#links.get(connection.remotePeer.toString())?.connections.includes(connection) === true) return
    if (connection.streams.some(({ protocol }) => protocol !== '' && !this.#options.isOwn(protocol))) return
    if (this.#options.keeps?.(connection) === true) {
      // By then the peer may have left, or another member may relay.
      this.closeIfUnusedLater(connection)
      return
    }
    try {
      await connection.close()
    } catch (error) {
      connection.abort(asError(error))
    }
  }
}
