/**
 * Claims that do not count yet, because the former winner seems to live, or because they skip very
 * many epochs. They wait for that winner's end, or for several peers to confirm them.
 *
 * One claim of each peer waits. So a peer with many made-up claims displaces no claim of another
 * peer. After a heal few peers may hold the right claim. So a peer that repeats its claim some time
 * later confirms it once more, unless the epoch is absurd.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import type { Claim, Statement } from '../facts/statement.ts'
import { compareClaims } from './statement-order.ts'

/**
 * Number of confirmations that make a claim count. A peer that repeats a claim after `countAgain`
 * ms confirms it once more, unless the epoch is absurd. Guess.
 */
export const confirmations = 3
/**
 * A peer that repeats its claim after this time confirms it once more, ms. Guess: messages of other
 * peers arrive by then.
 */
export const countAgain = 5_000

interface Sighting {
  readonly claim: Statement<Claim>
  /** The time at which this node last counted the peer's claim. */
  readonly at: Milliseconds
  /** Number of confirmations by this peer. */
  readonly times: number
}

export class UnconfirmedClaims {
  readonly #context: Context
  /**
   * The present claim of each peer. The key undefined is the topic, which never confirms a claim.
   */
  readonly #seen = new Map<NodeId | undefined, Sighting>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Counts one confirmation. Returns true if the claim has enough confirmations. */
  confirm(claim: Statement<Claim>, from: NodeId | undefined, isAbsurd: boolean): boolean {
    const { links } = this.#context
    this.#note(claim, from)
    // Anybody can make up keys. So this node counts and remembers only peers with a link.
    for (const peer of this.#seen.keys()) if (peer !== undefined && links.get(peer)?.entered !== true) this.#seen.delete(peer)
    const entered = [...links.values()].filter((link) => link.entered).length
    let count = 0
    for (const [peer, sighting] of this.#seen) {
      if (peer !== undefined && compareClaims(sighting.claim, claim) === 0) count += isAbsurd ? 1 : sighting.times
    }
    return count >= Math.min(confirmations, Math.max(entered, 1))
  }

  /** Returns the greatest claim with an epoch of at most this. */
  greatest(epoch: number): Statement<Claim> | undefined {
    const claims = [...this.#seen.values()].map(({ claim }) => claim)
    return claims
      .filter(({ content }) => content.epoch <= epoch)
      .sort(compareClaims)
      .at(-1)
  }

  /** Forgets all claims that are no greater than this claim, which counts now. */
  settle(claim: Statement<Claim>): void {
    for (const [peer, sighting] of this.#seen) if (compareClaims(sighting.claim, claim) <= 0) this.#seen.delete(peer)
  }

  clear(): void {
    this.#seen.clear()
  }

  #note(claim: Statement<Claim>, from: NodeId | undefined): void {
    const { now } = this.#context
    const present = this.#seen.get(from)
    if (present === undefined || compareClaims(present.claim, claim) !== 0) this.#seen.set(from, { claim, at: now, times: 1 })
    else if (now - present.at >= countAgain) this.#seen.set(from, { claim, at: now, times: present.times + 1 })
  }
}
