/**
 * Reports of peers that are not admitted, and why. The operator of a node must see why a host does
 * not come in, and a host that tries again and again must not fill the log.
 */
import { CODE_P2P, type Multiaddr } from '@multiformats/multiaddr'
import { Cache } from '../base/cache.ts'
import { hostOf } from '../base/addresses.ts'
import { RateLimiter } from './rate-limiter.ts'

/**
 * Each pair of IP and reason is reported once in this time, ms. Guess: a refused node tries twice a
 * minute.
 */
const interval = 60_000
/** Remembered pairs of IP and reason. Guess. */
const remembered = 1_024
/**
 * Refusals reported a second in the long run, for all peers together, with bursts of ten times as
 * many: somebody may have many IPs. Guess.
 */
const toldPerSecond = 1

export class Refusals {
  readonly #tell: (message: string) => void
  readonly #told = new Cache<number>(remembered, interval)
  readonly #limiter = new RateLimiter(toldPerSecond)

  constructor(tell: (message: string) => void) {
    this.#tell = tell
  }

  /** `address`: the peer's address, as far as it is known. */
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
