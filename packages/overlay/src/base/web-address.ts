/** The addresses of WebSockets: `/ip4/192.0.2.7/tcp/8080/ws`, and `/tls/ws` or `/wss` over TLS. */
import { CODE_P2P, multiaddr, type Multiaddr } from '@multiformats/multiaddr'

export interface WebEndpoint {
  /** An IP address or a name. */
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}

/** Returns undefined if the address is no address of a WebSocket. */
export function webEndpointOf(address: Multiaddr): WebEndpoint | undefined {
  const [net, tcp, ...rest] = address.getComponents().filter(({ code }) => code !== CODE_P2P)
  if (net?.value === undefined || tcp?.name !== 'tcp' || !['ip4', 'ip6', 'dns', 'dns4', 'dns6'].includes(net.name)) return undefined
  // The host becomes part of a URL. Members may announce anything.
  if (!/^[\w.:-]{1,253}$/u.test(net.value)) return undefined
  const transport = rest.map(({ name }) => name).join('/')
  if (!['ws', 'wss', 'tls/ws'].includes(transport)) return undefined
  return { host: net.value, port: Number(tcp.value), isSecure: transport !== 'ws' }
}

/** The path of the pool at the port of a WebSocket. The page has the other paths. */
export const webPath = '/ws'

/** Returns the URL at which others reach a member. */
export function urlOf({ host, port, isSecure }: WebEndpoint): string {
  return `${isSecure ? 'wss' : 'ws'}://${host.includes(':') ? `[${host}]` : host}:${port}${webPath}`
}

/** Returns the address of a remote or local end. */
export function webAddress({ host, port, isSecure }: WebEndpoint): Multiaddr {
  return multiaddr(`/${host.includes(':') ? 'ip6' : 'ip4'}/${host}/tcp/${port}${isSecure ? '/tls' : ''}/ws`)
}
