/**
 * Reports of peers that a node does not admit, with the reason. The operator of a node must see why
 * a host can't join. A host that tries again and again must not fill the log.
 */
import { CODE_P2P, type Multiaddr } from '@multiformats/multiaddr'
import { Cache } from '../base/cache.ts'
import { hostOf } from '../base/addresses.ts'
import { TokenBucket } from './token-bucket.ts'

/**
 * A node reports each pair of IP and reason at most once in this time, ms. Guess: a refused node
 * tries twice a minute.
 */
const interval = 60_000
/** Remembered pairs of IP and reason. Guess. */
const remembered = 1_024
/**
 * Refusals that a node reports a second in the long run, for all peers together, with bursts of ten
 * times as many. The limit is for all, since an attacker may have many IPs. Guess.
 */
const reportedPerSecond = 1

export class Refusals {
  readonly #report: (message: string) => void
  readonly #reported = new Cache<number>(remembered, interval)
  readonly #limiter = new TokenBucket(reportedPerSecond)

  constructor(report: (message: string) => void) {
    this.#report = report
  }

  /** `address`: the peer's address, as far as this node knows it. */
  add(address: Multiaddr, reason: string): void {
    const key = `${hostOf(address) ?? ''} ${reason}`
    const now = performance.now()
    const last = this.#reported.get(key)
    if (last !== undefined && now - last < interval) return
    if (!this.#limiter.spend()) return
    this.#reported.put(key, now)
    this.#report(`${address.decapsulateCode(CODE_P2P).toString()} is refused: ${reason}`)
  }
}
