/**
 * TCP hole punching (B. Ford et al., 2005, section 4): two hosts dial each other at the same time,
 * each from a local port that it uses already. A NAT that keeps one outside port for a local port
 * lets the other host's packets in.
 */
import type { Connection, MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface'
import { endpointOf } from '../../base/addresses.ts'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { HolePunching, PunchOptions } from '../types.ts'

type SocketConnection = MultiaddrConnection & { readonly socket?: { readonly localPort?: number | undefined } }
type Dial = Transport['dial']

/**
 * Returns the local address of each dial. The kernel shares a port among connections if each was
 * bound with SO_REUSEADDR, and libuv does so for a bound socket. On other systems than Linux the
 * port could not be used again.
 */
export function boundTo(address: Multiaddr): { readonly localAddress?: string } {
  const [net] = address.getComponents()
  if (process.platform !== 'linux' || endpointOf(address) === undefined) return {}
  if (net?.name === 'ip4') return { localAddress: '0.0.0.0' }
  return net?.name === 'ip6' ? { localAddress: '::' } : {}
}

/** Dials of one TCP transport. */
export class TcpHolePunching implements HolePunching {
  readonly #ports = new WeakMap<Connection, number>()
  readonly #upgrader: Upgrader
  readonly #dial: Dial

  /** `dial`: of the transport. `upgrader`: with the time-outs of this host. */
  constructor(dial: Dial, upgrader: Upgrader) {
    this.#dial = dial
    this.#upgrader = upgrader
  }

  portOf(connection: Connection): number | undefined {
    return this.#ports.get(connection)
  }

  async dial(address: Multiaddr, { from, direction, signal }: PunchOptions): Promise<void> {
    const upgrader = direction === 'outbound' ? this.#upgrader : inbound(this.#upgrader)
    // @libp2p/tcp passes the local port to net.connect.
    await this.#dial(address, { upgrader, signal, ...boundTo(address), localPort: from } as Parameters<Dial>[1])
  }

  /** Returns an upgrader that notes the ports of connections. */
  noting(upgrader: Upgrader): Upgrader {
    const wrapped = Object.create(upgrader) as Upgrader
    wrapped.upgradeOutbound = async (socketConnection, options) => {
      const connection = await upgrader.upgradeOutbound(socketConnection, options)
      const port = (socketConnection as SocketConnection).socket?.localPort
      if (port !== undefined) this.#ports.set(connection, port)
      return connection
    }
    return wrapped
  }
}

/** Returns an upgrader that takes a dialled connection for an accepted one. */
function inbound(upgrader: Upgrader): Upgrader {
  const wrapped = Object.create(upgrader) as Upgrader
  wrapped.upgradeOutbound = async (connection, options) => {
    // The muxer reads its role from there.
    Object.assign(connection, { direction: 'inbound' })
    await upgrader.upgradeInbound(connection, { signal: options.signal })
    return connection as unknown as Connection
  }
  return wrapped
}
