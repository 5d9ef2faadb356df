/**
 * Streams of the application's own protocols, between members of the pool.
 */
import type { Member } from '@jel/protocol'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { InvalidProtocolError, OpenError, UnknownMemberError, asError, reasonOf } from '../base/errors.ts'
import type { StreamHandler } from '../api/port.ts'
import { later } from '../base/timers.ts'
import { isDirect } from '../circuits/circuit-transport.ts'
import { answers } from '../host/muxer.ts'
import type { Paths } from '../relay/paths.ts'

/**
 * A connection that may be dead gets this time to answer, ms. Guess: TCP waits this long after its
 * first retransmission.
 */
const answerTime = 2_000

/** A stream that takes longer to open is slow, ms. Guess: two long round trips. */
const slowTime = 500

export interface ApplicationStreamsOptions {
  readonly libp2p: Libp2p
  readonly paths: Pick<Paths, 'connect' | 'overRelay'>
  readonly find: (id: string) => Member | undefined
  /** Called when a stream ended: perhaps nobody needs its connection any more. */
  readonly onUnused: (connection: Connection) => void
}

export class ApplicationStreams {
  readonly #options: ApplicationStreamsOptions

  constructor(options: ApplicationStreamsOptions) {
    this.#options = options
  }

  async open(id: string, protocol: string, signal: AbortSignal | undefined): Promise<Stream> {
    const { find } = this.#options
    signal?.throwIfAborted()
    const member = find(id)
    if (!member) throw new UnknownMemberError(`no member of the pool has the id ${id}`)
    try {
      const open = this.#connections(id).at(-1)
      if (open !== undefined) {
        try {
          return await this.#newStream(open, protocol, signal)
        } catch (error) {
          signal?.throwIfAborted()
          if (open.status === 'open') throw error
        }
      }
      return await this.#newStream(await this.#connect(member, signal), protocol, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw new OpenError(`can't open ${protocol} to ${id}: ${reasonOf(error)}`, { cause: error })
    }
  }

  /**
   * The network to a member may be cut, and the connection to it still be open. So a slow stream
   * makes this node ask whether the connection answers, and end it otherwise.
   */
  async #newStream(connection: Connection, protocol: string, signal: AbortSignal | undefined): Promise<Stream> {
    const slow = later(() => void this.#endIfSilent(connection, 'the peer does not answer'), slowTime)
    try {
      const stream = await connection.newStream(protocol, signal && { signal })
      this.#watch(stream, connection)
      return stream
    } finally {
      clearTimeout(slow)
    }
  }

  async #endIfSilent(connection: Connection, reason: string): Promise<void> {
    if (!(await answers(connection, answerTime))) connection.abort(new Error(reason))
  }

  /** Two hosts that others can dial may still not reach each other. Then a common member relays. */
  async #connect(member: Member, signal: AbortSignal | undefined): Promise<Connection> {
    const { paths } = this.#options
    try {
      return await paths.connect(member, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (member.reach !== 'direct') throw error
      return await paths.overRelay(member, signal).catch(() => {
        throw error
      })
    }
  }

  /**
   * Aborts the unresponsive connections of a member whose life has ended. A kernel with data to
   * send retries less and less often. So after a mended cut such a connection would stay silent for
   * as long as the cut lasted. Responsive connections stay. They belong to the member's next life,
   * or to a member that was falsely declared dead.
   */
  async died(id: string): Promise<void> {
    const connections = this.#connections(id)
    await Promise.all(connections.map(async (connection) => await this.#endIfSilent(connection, `${id} is dead`)))
  }

  async handle(protocol: string, handler: StreamHandler): Promise<void> {
    const { libp2p, find } = this.#options
    if (libp2p.getProtocols().includes(protocol)) throw new InvalidProtocolError(`${protocol} has a handler already`)
    await libp2p.handle(protocol, async (stream, connection) => {
      const from = connection.remotePeer.toString()
      this.#watch(stream, connection)
      if (!find(from)) {
        stream.abort(new Error(`${from} is no member of the pool`))
        return
      }
      try {
        await handler(stream, from)
      } catch (error) {
        stream.abort(asError(error))
      }
    })
  }

  async unhandle(protocol: string): Promise<void> {
    await this.#options.libp2p.unhandle(protocol)
  }

  /**
   * Returns the open connections to this peer, the best last: the youngest that passes no relay. An
   * older connection may have been silent since a cut.
   */
  #connections(id: string): Connection[] {
    const open = this.#options.libp2p.getConnections().filter(({ remotePeer, status }) => status === 'open' && remotePeer.toString() === id)
    return open.sort((a, b) => Number(isDirect(a)) - Number(isDirect(b)) || a.timeline.open - b.timeline.open)
  }

  #watch(stream: Stream, connection: Connection): void {
    stream.addEventListener('close', () => this.#options.onUnused(connection))
  }
}
