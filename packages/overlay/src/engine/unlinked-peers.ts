/**
 * Peers that connected to this node and opened no link. This node asks them for their protocols, so
 * that its operator sees why a host can't join.
 */
import type { Connection } from '@libp2p/interface'
import type { PoolNames } from '../base/names.ts'
import type { Host } from '../host/host.ts'
import { TokenBucket } from '../host/token-bucket.ts'
import type { Refusals } from '../host/refusals.ts'
import { later } from '../base/timers.ts'

/**
 * Delay from the end of a handshake to the question, ms. Guess: a link is opened within a round
 * trip. If the peer is merely late, the question has no effect.
 */
const askAfter = 2_000
/** Time for the answer, ms. Guess. */
const answerTime = 5_000
/**
 * Peers asked a second in the long run, with bursts of ten times as many. `refusals.ts` reports at
 * the same rate. So a flood of connections causes no flood of questions.
 */
const askedPerSecond = 1

export interface UnlinkedPeersOptions {
  readonly host: Host
  readonly names: PoolNames
  readonly refusals: Refusals
  /** Whether this node knows the peer as a member of the pool or has a link to it. */
  readonly knows: (id: string) => boolean
}

export class UnlinkedPeers {
  readonly #options: UnlinkedPeersOptions
  readonly #limiter = new TokenBucket(askedPerSecond)

  constructor(options: UnlinkedPeersOptions) {
    this.#options = options
  }

  /** Watches a connection that a peer opened. If this node dialled, the dial reports the reason. */
  watch(connection: Connection): void {
    if (connection.direction === 'inbound') later(() => void this.#ask(connection), askAfter)
  }

  async #ask(connection: Connection): Promise<void> {
    const { host, names, refusals, knows } = this.#options
    if (connection.status !== 'open' || knows(connection.remotePeer.toString()) || !this.#limiter.spend()) return
    try {
      const theirs = await host.protocolsOf(connection, AbortSignal.timeout(answerTime))
      const reason = whyNoLink(theirs, names)
      if (reason !== undefined) refusals.add(connection.remoteAddr, `${connection.remotePeer.toString()} ${reason}`)
    } catch {
      // The peer is gone, or does not answer: there is nothing to report.
    }
  }
}

/**
 * Returns the reason why a peer opened no link. Undefined: both support a common version, so the
 * peer may still open one.
 */
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

/** Returns the hash of the pool's name, and the version. */
function partsOf(protocol: string): [pool: string, version: string] | undefined {
  const [, pool, version] = /^\/jel\/([0-9a-f]{16})\/(\d{1,4}\.\d{1,4}\.\d{1,4})$/u.exec(protocol) ?? []
  return pool === undefined || version === undefined ? undefined : [pool, version]
}
