/**
 * How Node reaches others: over TCP. A probe of an address is a bare TCP connect that this node
 * closes at once. It costs the other process next to nothing. It works even while that process is
 * stopped, since the kernel answers.
 */
import { connect, isIPv6 } from 'node:net'
import type { Address, Reach } from '@jel/protocol'
import type { Transport, Upgrader } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { endpointOf, tcpEndpoint } from '../../base/addresses.ts'
import { codeOf } from '../../base/errors.ts'
import type { HolePunching, ProbeOutcome } from '../types.ts'
import { lookUp } from './lookups.ts'
import { tcpTransport, type TcpTransport } from './tcp.ts'

export { preferNames } from './lookups.ts'

/** The reach of a node until it knows better. */
export const firstReach: Reach = 'direct'

/** The transports over which this platform dials, and listens if it can. */
export function transports(wrap: (upgrader: Upgrader) => Upgrader): ReturnType<typeof tcpTransport>[] {
  return [tcpTransport(wrap)]
}

/** Returns how this host makes connections through NATs; undefined: it can't. */
export function holePunchingOf(all: readonly Transport[]): HolePunching | undefined {
  return all.map(({ punching }: Partial<TcpTransport>) => punching).find((each) => each !== undefined)
}

/** Whether this platform can dial such an address. */
export function canDial(address: Multiaddr): boolean {
  return endpointOf(address) !== undefined
}

const routeless = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Probes one address. An address that TCP can't connect to is silent. */
export async function probeAddress(address: Address, timeout: number): Promise<ProbeOutcome> {
  const endpoint = tcpEndpoint(address)
  if (!endpoint) return 'silent'
  return await new Promise((resolve) => {
    let isOver = false
    const socket = connect({ ...endpoint, lookup: lookUp(() => !isOver) })
    // If this process was busy, an answer may wait behind this timer. The event loop polls for
    // answers before it runs the immediate.
    const timer = setTimeout(() => setImmediate(finish, 'silent'), timeout)
    const finish = (outcome: ProbeOutcome): void => {
      isOver = true
      clearTimeout(timer)
      // A reset leaves nothing behind on either side. An orderly close would.
      if (outcome === 'accepted') socket.resetAndDestroy()
      else socket.destroy()
      resolve(outcome)
    }
    socket.once('connect', () => finish('accepted'))
    socket.on('error', (error) => {
      const code = codeOf(error) ?? ''
      if (code === 'ECONNREFUSED') finish('refused')
      else finish(isIPv6(endpoint.host) && routeless.has(code) ? 'unroutable' : 'silent')
    })
  })
}
