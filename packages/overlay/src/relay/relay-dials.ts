/**
 * Dials of a relay, on request of members that can't dial the target themselves. A request costs
 * its sender next to nothing. So there is one dial of a target at a time, a target that did not
 * answer is not dialled again for a while, and all dials together have a rate.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection } from '@libp2p/interface'
import { TokenBucket } from '../host/token-bucket.ts'

/** Dials a second, and at a time. Guess: a tab dials a few members when it enters. */
const [dialsPerSecond, maxUnderWay] = [2, 8]
/** A target that did not answer is not dialled for this time, ms. Guess. */
const failureTime = 30_000
/** Targets in memory that did not answer. Guess: more than dials in that time. */
const maxFailures = 1_024

export class RelayDials {
  readonly #dial: (id: NodeId) => Promise<Connection>
  readonly #limiter = new TokenBucket(dialsPerSecond)
  readonly #underWay = new Map<NodeId, Promise<Connection | undefined>>()
  readonly #failedAt = new Map<NodeId, number>()

  constructor(dial: (id: NodeId) => Promise<Connection>) {
    this.#dial = dial
  }

  /** Undefined: the target does not answer, or there are too many dials. */
  async connect(id: NodeId): Promise<Connection | undefined> {
    const known = this.#underWay.get(id)
    if (known !== undefined) return await known
    if (performance.now() - (this.#failedAt.get(id) ?? -Infinity) < failureTime) return undefined
    if (this.#underWay.size >= maxUnderWay || !this.#limiter.spend()) return undefined
    const dial = this.#dial(id).catch(() => {
      if (this.#failedAt.size >= maxFailures) this.#failedAt.clear()
      this.#failedAt.set(id, performance.now())
      return undefined
    })
    this.#underWay.set(id, dial)
    try {
      return await dial
    } finally {
      this.#underWay.delete(id)
    }
  }
}
