/** TCP with time-outs, filters and look-ups of its own. */
import type { Transport, Upgrader } from '@libp2p/interface'
import { tcp, type TCPComponents } from '@libp2p/tcp'
import type { Multiaddr } from '@multiformats/multiaddr'
import { endpointOf } from '../../base/addresses.ts'
import { connectTimeout } from '../../base/timeouts.ts'
import { boundTo, TcpHolePunching } from './hole-punching.ts'
import { lookUp } from './lookups.ts'

/**
 * An idle link is silent for minutes, and libp2p must not close it. So the kernel watches the link
 * (TCP keep-alive). After this time, ms, and ten seconds more, the kernel notices that the other
 * machine is gone. Guess: that costs 1 B/s a link. The protocol's probes detect a dead member far
 * earlier.
 */
const keepAliveInitialDelay = 120_000

export type TcpTransport = Transport & { readonly punching: TcpHolePunching }
export type Components = TCPComponents & { readonly upgrader: Upgrader }

/** `wrap`: watches the handshakes of new connections. */
export function tcpTransport(wrap: (upgrader: Upgrader) => Upgrader): (components: Components) => TcpTransport {
  // @libp2p/tcp passes all these options to net.connect.
  const dialOpts = { keepAliveInitialDelay, timeout: connectTimeout }
  const create = tcp({
    inboundSocketInactivityTimeout: 0,
    outboundSocketInactivityTimeout: 0,
    dialOpts,
    listenOpts: { keepAliveInitialDelay },
  })
  return (components) => {
    const created = create(components)
    const dial = created.dial.bind(created)
    const createListener = created.createListener.bind(created)
    const dialFilter = created.dialFilter.bind(created)
    const punching = new TcpHolePunching(dial, wrap(components.upgrader))
    // Members can announce anything. Without this filter the library would even dial a Unix socket
    // of this machine.
    created.dialFilter = (addresses) => dialFilter(addresses).filter((address) => endpointOf(address) !== undefined)
    created.dial = async (address, options) => {
      // The socket's time-out ends a dial without an abort of the signal.
      let isOver = false
      const lookup = lookUp(() => !isOver && !options.signal.aborted)
      try {
        // net.connect resolves names. @libp2p/tcp does not pass it the address family.
        const ours = { ...familyOf(address), ...boundTo(address), lookup, upgrader: punching.noting(wrap(options.upgrader)) }
        return await dial(address, { ...options, ...ours })
      } finally {
        isOver = true
      }
    }
    created.createListener = (options) => createListener({ ...options, upgrader: wrap(options.upgrader) })
    return Object.assign(created, { punching })
  }
}

function familyOf(address: Multiaddr): { readonly family?: 4 | 6 } {
  const family = endpointOf(address)?.family
  return family === undefined ? {} : { family }
}
