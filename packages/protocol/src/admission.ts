/**
 * Admission charges peers for the checks of their facts, and bounds the rates at which peers and
 * the topic may bring facts in. Reconciliation brings refused facts again.
 */
import { FrameError } from './base/errors.ts'
import type { NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import { Link } from './context/links.ts'
import type { Fact } from './facts/fact.ts'
import type { Records } from './records/records.ts'

/** Source of a fact: a peer or the topic. A peer pays for the fact while its link is up. */
export type Source = { readonly peer: NodeId } | 'topic'

export class Admission {
  readonly #context: Context
  readonly #records: Records

  constructor(context: Context, records: Records) {
    this.#context = context
    this.#records = records
  }

  /**
   * Charges the peer for the checks of a fact. A charge may slow the peer down. Returns false if
   * the peer's debt is far too large. Such a debt is no offence: reconciliation brings the fact
   * again.
   */
  isAffordable(fact: Fact, source: Source): boolean {
    if (!(source instanceof Link) || this.#context.isBootstrapping) return true
    return this.#context.charge(source, 'checks', fact.signatures)
  }

  /**
   * True if the peer, or the topic, may bring in one more member. The rate is bounded. As many
   * members as this node knows may come at once: after a partition the other half of the pool comes
   * back. Reconciliation brings refused members again.
   */
  mayBringIn(fact: Fact, source: Source): boolean {
    const { view, facts } = this.#context
    if (this.#context.isBootstrapping || facts.rival(fact) !== undefined) return true
    if (source === 'topic') return this.#context.budgets.mayIntroduce(this.#context.now, view.size)
    if (!(source instanceof Link)) return true
    return this.#context.budgets.spend(source, 'newcomers', this.#context.now, 1, { own: view.size, strangers: 0 })
  }

  /**
   * True if the peer may send this record. The rate of records of non-members is bounded, as on the
   * topic (`reception.ts`). As many records as this node holds may come at once.
   */
  maySendRecord(fact: Fact, source: Source): boolean {
    const { isBootstrapping, budgets, now } = this.#context
    if (isBootstrapping || !(source instanceof Link) || !budgets.isStranger(fact.author, now)) return true
    return budgets.spend(source, 'records', now, 1, { own: this.#records.size, strangers: 0 })
  }

  /**
   * True if there is no room for this end of a life. Ends of unknown members may be made up, so a
   * node takes them only until half of the tombstones are used. A newcomer knows nobody, and would
   * request refused ends again and again. So over links it takes ends until all tombstones are
   * used.
   */
  isOneTooMany(fact: Fact, source: Source): boolean {
    const { view, facts, wholeSince } = this.#context
    if (facts.rival(fact) !== undefined) return false
    return wholeSince === Infinity && source !== 'topic' ? view.tombstones.isFull : view.tombstones.isHalfFull
  }

  /** Checks the signatures. Throws {@link FrameError}. */
  check(fact: Fact): void {
    if (fact.isTrue(this.#context.codec)) return
    if (fact.says === 'died') throw new FrameError('a death certificate with a forged signature')
    throw new FrameError(`a forged signature under the key of ${'statement' in fact.content ? fact.content.statement.signer : fact.key}`)
  }
}
