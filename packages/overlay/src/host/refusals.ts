/**
 * Peers that are not let in, and why. Whoever runs a node has to see why a host does not come in, and a host that tries again and again must not fill the log.
 */
import { CODE_P2P, type Multiaddr } from '@multiformats/multiaddr'
import { Cache } from '../base/cache.ts'
import { hostOf } from '../base/addresses.ts'
import { RateLimiter } from './rate-limiter.ts'

/** One IP is told of once in this time for each reason, ms. Guess: a node that is refused tries twice a minute. */
const interval = 60_000
/** IPs and reasons that are remembered. Guess. */
const remembered = 1_024
/** Refusals that are told a second in the long run, and ten times as many at once, whoever they are of: somebody may have many IPs. Guess. */
const toldPerSecond = 1

export class Refusals {
  readonly #tell: (message: string) => void
  readonly #told = new Cache<number>(remembered, interval)
  readonly #limiter = new RateLimiter(toldPerSecond)

  constructor(tell: (message: string) => void) {
    this.#tell = tell
  }

  /** `address`: where it is, as far as that is known. */
  add(address: Multiaddr, reason: string): void {
    const key = `${hostOf(address) ?? ''} ${reason}`
    const now = performance.now()
    const told = this.#told.get(key)
    if (told !== undefined && now - told < interval) return
    if (!this.#limiter.spend()) return
    this.#told.put(key, now)
    this.#tell(`${address.decapsulateCode(CODE_P2P).toString()} is refused: ${reason}`)
  }
}
