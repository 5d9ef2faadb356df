/**
 * Opens and accepts the streams of links, and adds linked peers to the topic.
 */
import type { Effect, Input, Member, NodeId } from '@jel/protocol'
import type { Connection } from '@libp2p/interface'
import { reasonOf } from '../base/errors.ts'
import type { PoolNames } from '../base/names.ts'
import { DialError, type Dialer } from '../dialing/dialing.ts'
import type { Host } from '../host/host.ts'
import type { Links } from '../links/links.ts'
import type { Paths } from '../relay/paths.ts'

/** Streams of a link per connection in each direction: one in use, and one that closes. */
const streams = { maxInboundStreams: 2, maxOutboundStreams: 2 } as const

export interface ConnectorOptions {
  readonly host: Host
  readonly links: Links
  readonly dialer: Dialer
  readonly paths: Paths
  readonly names: PoolNames
  readonly find: (id: NodeId) => Member | undefined
  readonly deliver: (input: Input) => void
}

export class Connector {
  readonly #options: ConnectorOptions

  constructor(options: ConnectorOptions) {
    this.#options = options
  }

  /** Accepts the streams that others open. */
  async listen(): Promise<void> {
    const { host, links, names } = this.#options
    await host.libp2p.handle([...names.links], (stream, connection) => void links.add(stream, connection), streams)
    await host.libp2p.handle([...names.urgent], (stream, connection) => links.addUrgent(stream, connection), streams)
  }

  /** Opens a link. An input reports the result. */
  async connect({ peer, addresses }: Extract<Effect, { type: 'connect' }>): Promise<void> {
    const { links, dialer, paths, find, deliver } = this.#options
    const isLinked = (id: NodeId | undefined): boolean => id !== undefined && links.has(id)
    try {
      if (isLinked(peer)) return
      const member = peer === undefined ? undefined : find(peer)
      const isDirect = member === undefined || !paths.needsRelay(member)
      const connection = await (isDirect ? dialer.connect(peer, addresses) : paths.connect(member))
      if (isLinked(connection.remotePeer.toString())) return // the peer was quicker
      const stream = await dialer.open(connection)
      if (links.add(stream, connection) || isLinked(connection.remotePeer.toString())) return
      throw new DialError('failed', `${connection.remoteAddr.toString()}: the link was closed while it was being opened`)
    } catch (error) {
      if (isLinked(peer)) return
      const failure = error instanceof DialError ? error.failure : 'failed'
      deliver({ type: 'unreachable', peer, addresses, failure, reason: reasonOf(error) })
    }
  }

  /** Moves a link to this connection. The old one carries frames until the new one does. */
  async move(connection: Connection): Promise<void> {
    const { links, dialer } = this.#options
    if (links.has(connection.remotePeer.toString())) links.add(await dialer.open(connection), connection)
  }

  /** Cuts a peer off for its behaviour outside of its link. */
  cutOff(peer: NodeId, problem: string): void {
    const { host, deliver } = this.#options
    const isOpen = ({ remotePeer, status }: Connection): boolean => status === 'open' && remotePeer.toString() === peer
    const connections = host.libp2p.getConnections().filter(isOpen)
    if (connections.length === 0) return // reported already
    deliver({ type: 'misbehaved', peer, problem })
    for (const connection of connections) connection.abort(new Error(problem))
  }
}
