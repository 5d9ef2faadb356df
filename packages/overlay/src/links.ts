/**
 * All links of a host, at most one a peer.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { Link } from './link.ts'

/** How long a connection may stay open without a link or a stream of the application, ms. Guess. */
const idleTime = 15_000

export interface LinksOptions {
  /** Bytes a frame. */
  readonly maxFrameBytes: number
  /** Protocol ids of streams that don't keep a connection open once its link is closed. */
  readonly isOwn: (protocol: string) => boolean
}

export interface LinksEvents {
  onUp(peer: NodeId, connection: Connection): void
  onFrame(peer: NodeId, data: Uint8Array): void
  onDown(peer: NodeId): void
  /** Of the parallel connections to a peer, the one in use broke. */
  onMoved(connection: Connection): void
  onMisbehaviour(peer: NodeId, problem: string): void
}

export class Links {
  readonly #options: LinksOptions
  readonly #events: LinksEvents
  readonly #links = new Map<NodeId, Link>()

  constructor(options: LinksOptions, events: LinksEvents) {
    this.#options = options
    this.#events = events
  }

  get count(): number {
    return this.#links.size
  }

  has(peer: NodeId): boolean {
    return this.#links.has(peer)
  }

  /** Takes a stream that either side opened. False if it can't be used, since it is closed already or one too many. */
  add(stream: Stream, connection: Connection): boolean {
    const peer = connection.remotePeer.toString()
    const existing = this.#links.get(peer)
    if (existing) return existing.add(stream, connection)
    const link = new Link(this.#options.maxFrameBytes, {
      onFrame: (data) => this.#events.onFrame(peer, data),
      onDown: () => {
        this.#links.delete(peer)
        this.#events.onDown(peer)
      },
      onMoved: (other) => this.#events.onMoved(other),
      onMisbehaviour: (problem) => this.#events.onMisbehaviour(peer, problem),
    })
    if (!link.add(stream, connection)) return false
    this.#links.set(peer, link)
    this.#events.onUp(peer, connection)
    return true
  }

  /** Dropped if there is no link: word of its end is on its way. */
  send(peer: NodeId, data: Uint8Array): void {
    this.#links.get(peer)?.send(data)
  }

  /** Flushes and closes the link, then its connections unless the application uses them. */
  async close(peer: NodeId): Promise<void> {
    const link = this.#links.get(peer)
    if (!link) return
    const { connections } = link
    await link.close()
    await Promise.all(connections.map(async (connection) => await this.#closeIfUnused(connection)))
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#links.keys()].map(async (peer) => await this.close(peer)))
  }

  /** Closes a connection later, if it is not used by then: the application may open its next stream on it. */
  closeIfUnusedLater(connection: Connection): void {
    setTimeout(() => void this.#closeIfUnused(connection), idleTime).unref()
  }

  async #closeIfUnused(connection: Connection): Promise<void> {
    if (connection.status !== 'open' || this.#links.get(connection.remotePeer.toString())?.connections.includes(connection) === true) return
    if (connection.streams.some(({ protocol }) => protocol !== '' && !this.#options.isOwn(protocol))) return
    try {
      await connection.close()
    } catch (error) {
      connection.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
