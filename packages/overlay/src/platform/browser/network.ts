/**
 * How a page reaches others: over WebSockets, and over relays. Nobody dials a page. A page does not
 * learn whether a host refused or stayed silent.
 */
import type { Address, Reach } from '@jel/protocol'
import type { Transport, Upgrader } from '@libp2p/interface'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { urlOf, webEndpointOf } from '../../base/web-address.ts'
import type { ProbeOutcome } from '../types.ts'
import { webDialer } from './web-dialer.ts'

export const firstReach: Reach = 'tab'

export function transports(
  wrap: (upgrader: Upgrader) => Upgrader,
): ((components: Parameters<ReturnType<typeof webDialer>>[0]) => Transport)[] {
  return [webDialer(wrap)]
}

export function canDial(address: Multiaddr): boolean {
  return webEndpointOf(address) !== undefined
}

/** The browser looks names up. */
export function preferNames(): void {}

/** Opens a WebSocket, and closes it at once. */
export async function probeAddress(address: Address, timeout: number): Promise<ProbeOutcome> {
  const endpoint = webEndpointOf(multiaddr(address))
  if (endpoint === undefined) return 'unroutable'
  return await new Promise((resolve) => {
    const socket = new WebSocket(urlOf(endpoint))
    const finish = (outcome: ProbeOutcome): void => {
      clearTimeout(timer)
      socket.close()
      resolve(outcome)
    }
    const timer = setTimeout(() => finish('silent'), timeout)
    socket.addEventListener('open', () => finish('accepted'))
    socket.addEventListener('error', () => finish('silent'))
  })
}
