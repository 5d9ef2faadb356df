/**
 * Which pages may open WebSockets to this node. Any page that a user opens runs code on the user's
 * machine, behind the firewall. Without this rule such a page could reach members in the user's
 * network. Programs that are no browsers send no `Origin`, or any that they like.
 */

/** Maximum length of a header that is read. Guess: far more than a name and a port. */
const longest = 512

export interface OriginRules {
  /**
   * Origins that the user allows, such as `https://pool.example.org`. If people reach this node
   * under a name, list the origin of that name, too.
   */
  readonly allowed: readonly string[]
  /** Whether a member announces a WebSocket at this `host:port`: it serves the page, too. */
  readonly isMember: (host: string) => boolean
}

/** The headers of a request, and whether it came over TLS. */
export interface WebRequest {
  readonly origin?: string | undefined
  readonly host?: string | undefined
  readonly isSecure: boolean
}

/** Returns whether a request may become a WebSocket. */
export function mayConnect({ origin, host = '', isSecure }: WebRequest, rules: OriginRules): boolean {
  if (origin === undefined) return true
  if (origin.length > longest) return false
  if (rules.allowed.includes(origin)) return true
  const from = hostOfOrigin(origin)
  if (from === undefined) return false
  // A hostile name server can make any name lead here. So a name counts only if it is listed.
  return (isOwnKind(from) && from === withPort(host, isSecure)) || rules.isMember(from)
}

/** Whether the host is an IP address, or this machine's own name for itself. */
function isOwnKind(host: string): boolean {
  return /^(?:\[[\da-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|localhost):\d+$/u.test(host)
}

function hostOfOrigin(origin: string): string | undefined {
  const { protocol, host, port } = URL.parse(origin) ?? {}
  if (host === undefined || (protocol !== 'http:' && protocol !== 'https:')) return undefined
  return port === '' ? `${host}:${protocol === 'http:' ? 80 : 443}` : host
}

/** A browser leaves out the usual port. */
function withPort(host: string, isSecure: boolean): string {
  return /:\d+$/u.test(host) ? host.toLowerCase() : `${host.toLowerCase()}:${isSecure ? 443 : 80}`
}
