/**
 * Addresses: multiaddrs as text for people, and as bytes without their `/p2p` part for the
 * protocol.
 */
import { isIPv4, isIPv6 } from '@chainsafe/is-ip'
import { decodeId, type Address, type Introducer, type NodeId } from '@jel/protocol'
import { isLinkLocal, isLoopback, isPrivate } from '@libp2p/utils'
import { CODE_P2P, multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { InvalidAddressError, reasonOf } from './errors.ts'
import { webAddress, webEndpointOf } from './web-address.ts'

/** The host and port of a TCP connect. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  /** The only address family in which to look the name up: IPv4 or IPv6. */
  readonly family?: 4 | 6
}

/**
 * Returns the endpoint of an IP or DNS address over TCP, or undefined if the bytes are anything
 * else. Never throws, since addresses come from peers.
 */
export function tcpEndpoint(address: Address): Endpoint | undefined {
  const parsed = parseAddress(address)
  return parsed && endpointOf(parsed)
}

export function endpointOf(address: Multiaddr): Endpoint | undefined {
  const parts = address.getComponents().filter(({ code }) => code !== CODE_P2P)
  const zone = parts[0]?.name === 'ip6zone' ? parts.shift() : undefined
  const [net, transport] = parts
  if (parts.length !== 2 || net?.value === undefined || transport?.name !== 'tcp') return undefined
  if (!['ip4', 'ip6', 'dns', 'dns4', 'dns6'].includes(net.name)) return undefined
  const family = net.name === 'dns4' ? 4 : net.name === 'dns6' ? 6 : undefined
  const host = zone?.value === undefined ? net.value : `${net.value}%${zone.value}`
  return { host, port: Number(transport.value), ...(family && { family }) }
}

/**
 * Parses the user's listen address: a multiaddr or `host:port`. Throws {@link InvalidAddressError}.
 */
export function parseListenAddress(text: string): Multiaddr {
  const address = parseText(text, 'listen')
  const [net] = address.getComponents()
  if (!endpointOf(address) || net?.name.startsWith('dns') === true) {
    throw new InvalidAddressError(
      `can't listen on ${JSON.stringify(text)}: an address like 0.0.0.0:4001 or /ip4/0.0.0.0/tcp/4001 is needed`,
    )
  }
  return address.decapsulateCode(CODE_P2P)
}

/**
 * Parses the user's address for WebSockets: `ip:port`, or a multiaddr that may end in `/ws`. Throws
 * {@link InvalidAddressError}.
 */
export function parseWebAddress(text: string, isSecure: boolean): Multiaddr {
  const address = parseText(text, 'web')
  const { host, port } = endpointOf(address) ?? webEndpointOf(address) ?? {}
  if (host === undefined || port === undefined || isName(address))
    throw new InvalidAddressError(`can't serve browsers at ${JSON.stringify(text)}: an address like 0.0.0.0:8080 is needed`)
  return webAddress({ host, port, isSecure })
}

/**
 * Parses the user's address at which others reach this node: a multiaddr or `host:port`. Throws
 * {@link InvalidAddressError}.
 */
export function parseAnnounceAddress(text: string): Multiaddr {
  const address = parseText(text, 'announce')
  const endpoint = endpointOf(address) ?? webEndpointOf(address)
  if (endpoint === undefined || endpoint.port === 0 || ['0.0.0.0', '::'].includes(endpoint.host)) {
    throw new InvalidAddressError(
      `nobody can reach ${JSON.stringify(text)}: an address to announce is like 192.0.2.7:4001 or /dns/example.org/tcp/4001`,
    )
  }
  return address.decapsulateCode(CODE_P2P)
}

/**
 * Parses the user's bootstrap address: `host:port`, or a multiaddr with or without `/p2p/<id>`.
 * `canDial`: whether this platform dials such an address. Throws {@link InvalidAddressError}.
 */
export function parseIntroducer(text: string, canDial = (address: Multiaddr) => endpointOf(address) !== undefined): Introducer {
  const address = parseText(text, 'bootstrap')
  // libp2p resolves /dnsaddr when it dials.
  if (!canDial(address) && address.getComponents()[0]?.name !== 'dnsaddr') {
    const needed =
      endpointOf(address) === undefined
        ? 'an address like 192.0.2.7:4001 or /ip4/192.0.2.7/tcp/4001 is needed'
        : 'a browser needs an address like /ip4/192.0.2.7/tcp/8080/ws'
    throw new InvalidAddressError(`can't dial bootstrap address ${JSON.stringify(text)}: ${needed}`)
  }
  const introducer = introducerOf(address)
  if (introducer.id !== undefined) checkId(introducer.id, text)
  return introducer
}

/** Throws for a mistyped id, before any dial. */
function checkId(id: NodeId, text: string): void {
  try {
    decodeId(id)
  } catch (error) {
    throw new InvalidAddressError(
      `malformed peer id ${JSON.stringify(id)} in bootstrap address ${JSON.stringify(text)}: ${reasonOf(error)}`,
      {
        cause: error,
      },
    )
  }
}

/** Splits the id from an address. */
export function introducerOf(address: Multiaddr, known?: NodeId): Introducer {
  const id = known ?? address.getComponents().findLast(({ code }) => code === CODE_P2P)?.value
  const bytes = address.decapsulateCode(CODE_P2P).bytes
  return id === undefined ? { address: bytes } : { id, address: bytes }
}

/**
 * Returns `host:port` as a multiaddr, and any other text unchanged. An IPv6 address has brackets,
 * as in URLs.
 */
function fromHostPort(text: string): string {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:/\s]+)):(\d{1,5})$/u.exec(text) ?? []
  if (port === undefined) return text
  if (bracketed !== undefined) return isIPv6(bracketed) ? `/ip6/${bracketed}/tcp/${port}` : text
  return `/${isIPv4(plain ?? '') ? 'ip4' : 'dns'}/${plain}/tcp/${port}`
}

function parseText(text: string, use: string): Multiaddr {
  try {
    const full = fromHostPort(text)
    if (!full.startsWith('/')) throw new Error('it is neither host:port nor a multiaddr')
    const address = multiaddr(full)
    // `multiaddr()` accepts a value that does not fit its protocol. Only reading the bytes throws.
    if (address.bytes.length === 0) throw new Error('it is empty')
    return address
  } catch (error) {
    throw new InvalidAddressError(`malformed ${use} address ${JSON.stringify(text)}: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * Returns the multiaddr to dial, with the id of the peer that must answer. Returns undefined as
 * {@link parseAddress} does.
 */
export function dialAddress(address: Address, peer: NodeId | undefined): Multiaddr | undefined {
  const parsed = parseAddress(address)
  return parsed && peer !== undefined ? parsed.encapsulate(`/p2p/${peer}`) : parsed
}

/**
 * Returns addresses as texts. With an id they end in `/p2p/<id>`. Leaves out bytes that are not a
 * multiaddr, since addresses come from peers.
 */
export function formatAddresses(addresses: readonly Address[], id: NodeId | undefined): string[] {
  return addresses.flatMap((address) => dialAddress(address, id)?.toString() ?? [])
}

/**
 * Returns undefined for bytes that are no multiaddr, and for a multiaddr whose text has control
 * characters. A terminal would obey them.
 */
export function parseAddress(address: Address): Multiaddr | undefined {
  try {
    const parsed = multiaddr(address)
    return /[\p{Cc}\p{Cf}]/u.test(parsed.toString()) ? undefined : parsed
  } catch {
    return undefined
  }
}

/**
 * Returns the addresses of a host that are worth announcing. Each address that others dial in vain
 * costs them time.
 */
export function announceable(addresses: readonly Multiaddr[]): Multiaddr[] {
  // A link-local address means nothing without the name of an interface. That name differs from
  // machine to machine.
  const useful = addresses.filter((address) => !isLinkLocal(address))
  // A loopback address leads other machines to themselves. Processes of this machine can use its
  // other addresses as well, and 127.0.0.1 given on a command line still works. A node that has
  // only loopback addresses is meant for this machine.
  const reachable = useful.filter((address) => !isLoopback(address))
  return reachable.length > 0 ? reachable : useful
}

/** Returns the IP or the name in an address over TCP, or of a WebSocket. */
export function hostOf(address: Multiaddr): string | undefined {
  return (endpointOf(address) ?? webEndpointOf(address))?.host
}

/** Whether an address is an IP address that means the same host everywhere. */
export function isPublic(address: Multiaddr): boolean {
  const host = hostOf(address)
  if (host === undefined || isName(address) || host.includes('%')) return false
  if (isPrivate(address) || isLoopback(address) || isLinkLocal(address)) return false
  // The global addresses of IPv6 are 2000::/3. Some others, such as those of NAT64, lead to IPv4
  // through a translator of this network. IPv4 addresses from 224.0.0.0 on are multicast or
  // reserved.
  return host.includes(':') ? /^[23][\da-f]{3}:/iu.test(host) : Number(host.split('.')[0]) < 224
}

/**
 * Whether two addresses seem to be in one private network: their first 24 bits (IPv4) or 64 bits
 * (IPv6) agree. Two loopback addresses are nearby, too. The answer may be wrong, since many homes
 * use the same private network.
 */
export function isNearby(one: Address, other: Address): boolean {
  const [a, b] = [parseAddress(one), parseAddress(other)]
  if (a === undefined || b === undefined) return false
  if (isLoopback(a) || isLoopback(b)) return isLoopback(a) && isLoopback(b)
  const [network, second] = [networkOf(a, 3, 4), networkOf(b, 3, 4)]
  return isPrivate(a) && isPrivate(b) && network !== undefined && network === second
}

/**
 * Returns the first `bytes` bytes of an IPv4 address, or the first `groups` groups of an IPv6
 * address. Undefined for a name.
 */
export function networkOf(address: Multiaddr, bytes: number, groups: number): string | undefined {
  const host = hostOf(address)
  if (host === undefined || isName(address)) return undefined
  return host.includes(':') ? groupsOf(host).slice(0, groups).join(':') : host.split('.').slice(0, bytes).join('.')
}

/** Returns the eight groups of an IPv6 address. `::` stands for groups of zeros. */
function groupsOf(host: string): string[] {
  const [head = '', tail] = host.replace(/%.*$/u, '').toLowerCase().split('::')
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].map((group) => group.replace(/^0+(?=.)/u, ''))
}

/** Whether an address contains a name in place of an IP address. */
export function isName(address: Multiaddr): boolean {
  return address.getComponents()[0]?.name.startsWith('dns') === true
}

/** Whether an address is loopback, at any port. */
export function isLoopbackAddress(address: Multiaddr): boolean {
  return isLoopback(address)
}

/**
 * Returns whether a peer that connected to this node can probably be dialled at an address that it
 * announces. This function presumes so in three cases:
 * - The peer is on loopback. No NAT lies between two processes of one machine.
 * - The connection comes from an IP address that the peer announces. The connection of a peer
 *   behind a NAT comes from the router's address, which the peer does not announce.
 * - The announced addresses are unknown, and the peer is on a private network. That network is most
 *   likely the network of this node.
 */
export function looksDialable(remote: Multiaddr, announced: readonly Address[] | undefined): boolean {
  if (isLoopback(remote)) return true
  if (!announced) return isPrivate(remote)
  const host = hostOf(remote)
  return host !== undefined && announced.some((address) => tcpEndpoint(address)?.host === host)
}
