/**
 * Claims that do not count yet: the winner before seems to live, or they skip very many epochs. They wait for that winner's end, or for several peers to
 * tell them.
 *
 * One claim at a time from each peer, so that who makes up many keeps nobody else's out. Where few peers hold a claim, as after a heal,
 * the same ones count again some time later, unless it is absurd.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import type { Claim, Statement } from '../facts/statement.ts'
import { compareClaims } from './order.ts'

/** So many peers make a claim count. Guess. */
export const confirmations = 3
/** The same peer counts again after this, ms. Guess: long enough for the others to be heard. */
export const tellAgain = 5_000

interface Telling {
  readonly claim: Statement<Claim>
  /** When the peer told it last. */
  readonly at: Milliseconds
  /** How often that counts. */
  readonly times: number
}

export class PendingClaims {
  readonly #context: Context
  /** What each peer tells at present; undefined: the topic, which nobody answers for. */
  readonly #tellings = new Map<NodeId | undefined, Telling>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Counts one telling and says whether the claim was told often enough. */
  tell(claim: Statement<Claim>, from: NodeId | undefined, isAbsurd: boolean): boolean {
    const { links } = this.#context
    this.#note(claim, from)
    // Keys cost nothing: only those count, and are remembered, that stay.
    for (const peer of this.#tellings.keys()) if (peer !== undefined && links.get(peer)?.entered !== true) this.#tellings.delete(peer)
    const entered = [...links.values()].filter((link) => link.entered).length
    let count = 0
    for (const [peer, telling] of this.#tellings) {
      if (peer !== undefined && compareClaims(telling.claim, claim) === 0) count += isAbsurd ? 1 : telling.times
    }
    return count >= Math.min(confirmations, Math.max(entered, 1))
  }

  /** The greatest of those whose epoch is at most this. */
  greatest(epoch: number): Statement<Claim> | undefined {
    const claims = [...this.#tellings.values()].map(({ claim }) => claim)
    return claims
      .filter(({ content }) => content.epoch <= epoch)
      .sort(compareClaims)
      .at(-1)
  }

  /** This one counts now: forgets all that are no greater. */
  settle(claim: Statement<Claim>): void {
    for (const [peer, telling] of this.#tellings) if (compareClaims(telling.claim, claim) <= 0) this.#tellings.delete(peer)
  }

  clear(): void {
    this.#tellings.clear()
  }

  #note(claim: Statement<Claim>, from: NodeId | undefined): void {
    const { now } = this.#context
    const present = this.#tellings.get(from)
    if (present === undefined || compareClaims(present.claim, claim) !== 0) this.#tellings.set(from, { claim, at: now, times: 1 })
    else if (now - present.at >= tellAgain) this.#tellings.set(from, { claim, at: now, times: present.times + 1 })
  }
}
