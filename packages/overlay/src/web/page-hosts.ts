/**
 * The `host:port` of the pages that members serve: pages from there may open WebSockets. Only IP
 * addresses count. Anybody may announce a name, and a name may lead to anything.
 */
import type { Address } from '@jel/protocol'
import { isName, parseAddress } from '../base/addresses.ts'
import { webEndpointOf } from '../base/web-address.ts'

/** The node reads its view at most once in this time, ms, however many requests come. Guess. */
const freshTime = 1_000
/** The last two bytes of an address of a WebSocket: `ws` is 477, and `wss` is 478, as varints. */
const [wsLast, wssLast] = [
  [0xdd, 0x03],
  [0xde, 0x03],
] as const

export class PageHosts {
  readonly #members: () => Iterable<{ readonly addresses: readonly Address[] }>
  #hosts: ReadonlySet<string> = new Set()
  #at = -Infinity

  constructor(members: () => Iterable<{ readonly addresses: readonly Address[] }>) {
    this.#members = members
  }

  has(host: string): boolean {
    const now = performance.now()
    if (now - this.#at >= freshTime) {
      this.#at = now
      this.#hosts = new Set([...this.#members()].flatMap(({ addresses }) => addresses.flatMap((address) => hostOfPage(address) ?? [])))
    }
    return this.#hosts.has(host)
  }
}

/** Members may announce anything. */
function hostOfPage(address: Address): string | undefined {
  const [first, second] = [address.at(-2), address.at(-1)]
  if (![wsLast, wssLast].some(([one, other]) => one === first && other === second)) return undefined
  const parsed = parseAddress(address)
  if (parsed === undefined || isName(parsed)) return undefined
  const { host, port } = webEndpointOf(parsed) ?? {}
  return host === undefined ? undefined : `${host.includes(':') ? `[${host}]` : host}:${port}`
}
