/**
 * How a page reaches others: over WebSockets, and over relays. Nobody dials a page. A page does not
 * learn whether a host refused or stayed silent.
 */
import type { Address, Reach } from '@jel/protocol'
import type { Transport, Upgrader } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { parseAddress } from '../../base/addresses.ts'
import { urlOf, webEndpointOf } from '../../base/web-address.ts'
import type { HolePunching, ProbeOutcome } from '../types.ts'
import { webDialer } from './web-dialer.ts'

export const firstReach: Reach = 'tab'

export function transports(
  wrap: (upgrader: Upgrader) => Upgrader,
): ((components: Parameters<ReturnType<typeof webDialer>>[0]) => Transport)[] {
  return [webDialer(wrap)]
}

/** A page can't choose the ports of its connections. */
export const holePunchingOf: (all: readonly Transport[]) => HolePunching | undefined = () => undefined

/** A page over https may open WebSockets with TLS only. */
export function canDial(address: Multiaddr): boolean {
  const endpoint = webEndpointOf(address)
  return endpoint !== undefined && (endpoint.isSecure || globalThis.location?.protocol !== 'https:')
}

/** The browser looks names up. */
export function preferNames(): void {}

/** Opens a WebSocket, and closes it at once. Never rejects: members may announce anything. */
export async function probeAddress(address: Address, timeout: number): Promise<ProbeOutcome> {
  const parsed = parseAddress(address)
  const endpoint = parsed !== undefined && canDial(parsed) ? webEndpointOf(parsed) : undefined
  if (endpoint === undefined) return 'unroutable'
  return await new Promise((resolve) => {
    let socket: WebSocket
    try {
      socket = new WebSocket(urlOf(endpoint))
    } catch {
      resolve('silent')
      return
    }
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
