/**
 * All links of a host, at most one per peer.
 */
import { randomBytes } from '#platform/crypto'
import type { NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { asError } from '../base/errors.ts'
import { Channel, instanceBytes, type ChannelEvents, type ChannelOptions } from './channel.ts'
import { FrameStream } from './frame-stream.ts'
import { Link } from './link.ts'
import { later } from '../base/timers.ts'
import { isDirect } from '../circuits/circuit-transport.ts'

/**
 * Streams of a link. Simultaneous dials of both sides give two. More than this number is no
 * accident. Guess.
 */
const maxChannels = 4

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
  /** The connection in use broke, or a better one came up. Now this one carries the link. */
  onMoved(connection: Connection): void
  /** The peer violated a limit, and this node cut it off. */
  onMisbehaviour(peer: NodeId, problem: string): void
}

export class Links {
  readonly #options: LinksOptions
  readonly #events: LinksEvents
  readonly #channelOptions: ChannelOptions
  readonly #channelEvents: ChannelEvents
  readonly #links = new Map<NodeId, Link>()

  constructor(options: LinksOptions, events: LinksEvents) {
    this.#options = options
    this.#events = events
    const { maxFrameBytes, urgent, stallTimeout } = options
    this.#channelOptions = { maxFrameBytes, urgent, stallTimeout, instance: randomBytes(instanceBytes) }
    this.#channelEvents = {
      onInstance: (channel, instance) => this.#named(channel, instance),
      onFrame: (channel, data) => this.#linkOf(channel) && this.#events.onFrame(channel.peer, data),
      onEnd: (channel) => this.#ended(channel),
      onMisbehaviour: (channel, problem) => this.#linkOf(channel) && this.#cutOff(channel.peer, problem),
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
    if (!FrameStream.isUsable(stream) || (link && link.channels.length >= maxChannels)) {
      stream.abort(new Error(link ? 'too many streams for one link' : 'closed while it was being opened'))
      return false
    }
    const channel = new Channel(stream, connection, this.#channelOptions, this.#channelEvents)
    if (link) {
      link.add(channel)
      void this.#review(link, connection)
    } else this.#up(channel)
    return true
  }

  /**
   * Ends the older connections of a link that do not answer. The peer may have connected again
   * because they are dead at its end. A router that lost its state tells only one of two ends.
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
    const channel = link?.channels.find((each) => each.connection === connection)
    if (channel && FrameStream.isUsable(stream)) channel.addUrgent(stream)
    else stream.abort(new Error('there is no link on this connection'))
  }

  /**
   * Sends a frame. If there is no link, drops the frame: the report of the link's end is under way.
   * Urgent frames don't wait for other frames.
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
    const channels = [...link.channels]
    this.#down(peer)
    await Promise.all(channels.map(async (channel) => await channel.close()))
    await Promise.all(connections.map(async (connection) => await this.#closeIfUnused(connection)))
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#links.keys()].map(async (peer) => await this.close(peer)))
  }

  /**
   * Closes a connection later, if nothing uses it by then. The application may open its next stream
   * on it.
   */
  closeIfUnusedLater(connection: Connection): void {
    later(() => void this.#closeIfUnused(connection), this.#options.idleTime ?? defaultIdleTime)
  }

  #up(channel: Channel, instance?: string): void {
    const { peer } = channel
    const link = new Link(channel)
    link.instance = instance
    this.#links.set(peer, link)
    this.#events.onUp(peer, channel.connection)
  }

  #down(peer: NodeId): void {
    if (this.#links.delete(peer)) this.#events.onDown(peer)
  }

  /**
   * Handles the name of the process at the other end of a channel. It may be a new process, the
   * successor of the link's process. A host that lost power connects again long before anybody
   * notices that its old connection is dead. Then the protocol sees two links, one after the other.
   */
  #named(channel: Channel, instance: string): void {
    const link = this.#linkOf(channel)
    if (!link) return
    link.instance ??= instance
    if (link.instance === instance) {
      if (isDirect(channel.connection)) void this.#leaveCircuits(link, channel)
      return
    }
    const { peer } = channel
    link.remove(channel)
    const former = [...link.channels]
    this.#down(peer)
    for (const { connection } of former) connection.abort(new Error('another process of this peer has connected'))
    this.#up(channel, instance)
  }

  /**
   * Moves a link to a connection that passes no relay. Frames on their way over relays still come.
   */
  async #leaveCircuits(link: Link, direct: Channel): Promise<void> {
    const left = link.channels.filter(({ connection }) => !isDirect(connection))
    if (left.length === 0) return
    link.prefer(direct)
    await Promise.all(left.map(async (channel) => await channel.close()))
    later(() => {
      for (const channel of left) link.remove(channel)
      // The direct connection may have ended meanwhile.
      if (link.channels.length === 0 && this.#links.get(direct.peer) === link) this.#down(direct.peer)
      const closed = left.map(async ({ connection }) => await this.#closeIfUnused(connection))
      void Promise.all(closed).then(() => this.#linkOf(direct) && this.#events.onMoved(direct.connection))
    }, leaveTime)
  }

  #ended(channel: Channel): void {
    const link = this.#linkOf(channel)
    if (!link) return
    const wasInUse = link.channels[0] === channel
    link.remove(channel)
    void channel.close()
    this.closeIfUnusedLater(channel.connection)
    const [next] = link.channels
    if (!next) this.#down(channel.peer)
    else if (wasInUse) this.#events.onMoved(next.connection)
  }

  #cutOff(peer: NodeId, problem: string): void {
    const link = this.#links.get(peer)
    if (!link) return
    const channels = [...link.channels]
    this.#events.onMisbehaviour(peer, problem)
    this.#down(peer)
    for (const channel of channels) {
      channel.abort(new Error(problem))
      channel.connection.abort(new Error(problem))
    }
  }

  /** Returns undefined if the channel belongs to no link any more. */
  #linkOf(channel: Channel): Link | undefined {
    const link = this.#links.get(channel.peer)
    return link?.channels.includes(channel) === true ? link : undefined
  }

  async #closeIfUnused(connection: Connection): Promise<void> {
    if (connection.status !== 'open' || this.#links.get(connection.remotePeer.toString())?.connections.includes(connection) === true) return
    if (connection.streams.some(({ protocol }) => protocol !== '' && !this.#options.isOwn(protocol))) return
    if (this.#options.keeps?.(connection) === true) {
      // The peer may leave, or another member may relay.
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
