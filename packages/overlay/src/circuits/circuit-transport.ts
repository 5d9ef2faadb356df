/**
 * Connections over relays, as a transport of libp2p. Encryption, the pool key and the streams of a
 * circuit are between its two ends. The relay sees ids and bytes.
 */
import { decodeId, type NodeId } from '@jel/protocol'
import type { Connection, Stream, Transport, Upgrader } from '@libp2p/interface'
import { transportSymbol } from '@libp2p/interface'
import type { ConnectionManager, Registrar } from '@libp2p/interface-internal'
import type { Multiaddr } from '@multiformats/multiaddr'
import { asError } from '../base/errors.ts'
import { circuitAddress, circuitOf } from './circuit-address.ts'
import { CircuitConnection } from './circuit-connection.ts'
import { RelayRefusal } from './relay-refusal.ts'
import { takeLine } from './take-line.ts'

/** Time in which a relay must open its half of a circuit, ms. Guess: two round trips. */
const openTime = 3_000
/** Longest line: an id, or the reason of a relay. */
const longestLine = 128

interface Components {
  readonly connectionManager: ConnectionManager
  readonly registrar: Registrar
  readonly upgrader: Upgrader
}

export interface CircuitProtocols {
  /** A member asks a relay for a circuit. */
  readonly relay: string
  /** A relay offers a circuit to a member. */
  readonly circuit: string
}

export interface CircuitOptions extends CircuitProtocols {
  /** Whether this node takes circuits that the peer with this id relays, or opens. */
  readonly admits: (id: NodeId) => boolean
}

/** Returns whether a connection passes no relay. */
export function isDirect({ remoteAddr }: Pick<Connection, 'remoteAddr'>): boolean {
  return remoteAddr.getComponents().every(({ name }) => name !== 'p2p-circuit')
}

/** Returns the open connections to a peer that pass no relay, the youngest last. */
export function directConnections(host: { getConnections(): Connection[] }, id: NodeId): Connection[] {
  return host.getConnections().filter((each) => each.remotePeer.toString() === id && each.status === 'open' && isDirect(each))
}

/** `wrap`: watches the handshakes of new connections. */
export function circuitTransport(protocols: CircuitOptions, wrap: (upgrader: Upgrader) => Upgrader): (components: Components) => Transport {
  return ({ connectionManager, registrar, upgrader }) => {
    const closed = new AbortController()
    const accept = async (stream: Stream, connection: Connection): Promise<void> => {
      try {
        if (!isDirect(connection)) throw new Error('a relay needs a direct connection')
        const relay = connection.remotePeer.toString()
        if (!protocols.admits(relay)) throw new Error('the relay is no member')
        const member = await takeLine(stream, longestLine, AbortSignal.timeout(openTime))
        decodeId(member)
        if (!protocols.admits(member)) throw new Error('it is no member')
        const address = circuitAddress(relay, member)
        stream.send(new TextEncoder().encode('ok\n'))
        await wrap(upgrader).upgradeInbound(new CircuitConnection(stream, address, 'inbound'), { signal: closed.signal })
      } catch (error) {
        stream.abort(asError(error))
      }
    }
    return {
      [Symbol.toStringTag]: 'jel-circuits',
      [transportSymbol]: true,
      start: async () => await registrar.handle(protocols.circuit, (stream, connection) => void accept(stream, connection), maxStreams),
      stop: async () => {
        closed.abort()
        await registrar.unhandle(protocols.circuit)
      },
      dialFilter: (addresses: Multiaddr[]) => addresses.filter((address) => circuitOf(address) !== undefined),
      listenFilter: () => [],
      createListener: () => {
        throw new Error('nobody listens on a circuit')
      },
      dial: async (address, options) => {
        const { relay, member } = circuitOf(address) as NonNullable<ReturnType<typeof circuitOf>>
        const connection = directConnections(connectionManager, relay).at(-1)
        if (connection === undefined) throw new Error(`no connection to the relay ${relay}`)
        const signal = AbortSignal.any([options.signal, AbortSignal.timeout(openTime)])
        const stream = await connection.newStream(protocols.relay, { signal })
        try {
          stream.send(new TextEncoder().encode(`${member}\n`))
          const answer = await takeLine(stream, longestLine, signal)
          if (answer !== 'ok') throw new RelayRefusal(answer)
          return await wrap(options.upgrader).upgradeOutbound(new CircuitConnection(stream, address, 'outbound'), options)
        } catch (error) {
          stream.abort(asError(error))
          throw error
        }
      },
    } as Transport
  }
}

/** Circuits that one relay may offer a member at a time, and that a member may ask of one relay. */
const maxStreams = { maxInboundStreams: 64, maxOutboundStreams: 64 } as const
