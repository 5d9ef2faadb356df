/**
 * Peers that came in and opened no link: what keeps them out is asked of them, so that whoever runs this node sees why a host does not come in.
 */
import type { Connection } from '@libp2p/interface'
import type { PoolNames } from './base/names.ts'
import type { Host } from './host/host.ts'
import { RateLimiter } from './host/rate-limiter.ts'
import type { Refusals } from './host/refusals.ts'

/** From the end of a handshake, ms. Guess: a link is opened within a round trip; who is late is asked in vain, and nothing comes of it. */
const askAfter = 2_000
/** For the answer, ms. Guess. */
const answerTime = 5_000
/** So many are asked a second in the long run, ten times as many at once: as many as are told of. A flood of connections costs no more than itself. */
const askedPerSecond = 1

export interface StrangersOptions {
  readonly host: Host
  readonly names: PoolNames
  readonly refusals: Refusals
  /** Whether this node knows it for one of the pool. */
  readonly knows: (id: string) => boolean
}

export class Strangers {
  readonly #options: StrangersOptions
  readonly #limiter = new RateLimiter(askedPerSecond)

  constructor(options: StrangersOptions) {
    this.#options = options
  }

  /** A connection is open. Whom this node has dialled itself says so to the dial. */
  watch(connection: Connection): void {
    if (connection.direction === 'inbound') setTimeout(() => void this.#ask(connection), askAfter).unref()
  }

  async #ask(connection: Connection): Promise<void> {
    const { host, names, refusals, knows } = this.#options
    if (connection.status !== 'open' || knows(connection.remotePeer.toString()) || !this.#limiter.spend()) return
    try {
      const theirs = await host.protocolsOf(connection, AbortSignal.timeout(answerTime))
      const reason = whyNoLink(theirs, names)
      if (reason !== undefined) refusals.add(connection.remoteAddr, `${connection.remotePeer.toString()} ${reason}`)
    } catch {
      // It is gone, or says nothing: there is no more to tell.
    }
  }
}

/** Undefined: they have a version in common, and it may come in. */
export function whyNoLink(theirs: readonly string[], { links }: PoolNames): string | undefined {
  if (theirs.some((protocol) => links.includes(protocol))) return undefined
  const [pool, version] = partsOf(links[0] as string) as [string, string]
  const spoken = theirs.flatMap((protocol) => {
    const parts = partsOf(protocol)
    return parts === undefined ? [] : [parts]
  })
  const same = spoken.find(([name]) => name === pool)
  if (same !== undefined) return `speaks version ${same[1]} of this pool's protocol, and this node ${version}`
  return spoken.length > 0 ? 'belongs to another pool' : 'is no node of jel'
}

/** Hash of the pool's name, and version. */
function partsOf(protocol: string): [pool: string, version: string] | undefined {
  const [, pool, version] = /^\/jel\/([0-9a-f]{16})\/(\d{1,4}\.\d{1,4}\.\d{1,4})$/u.exec(protocol) ?? []
  return pool === undefined || version === undefined ? undefined : [pool, version]
}
