/**
 * Admission: the checks of facts that cost something, and the rates at which peers and the topic
 * may bring facts in. Reconciliation brings refused facts again.
 */
import { FrameError } from './base/errors.ts'
import type { NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import { Link } from './context/links.ts'
import type { Fact } from './facts/fact.ts'
import type { Records } from './records/records.ts'

/** Source of a fact: a peer, which pays for it as long as its link is up, or the topic. */
export type Source = { readonly peer: NodeId } | 'topic'

export class Admission {
  readonly #context: Context
  readonly #records: Records

  constructor(context: Context, records: Records) {
    this.#context = context
    this.#records = records
  }

  /**
   * Charges the peer for the checks, which slows it down. A refusal far beyond its share is no
   * offence: reconciliation brings the fact again.
   */
  isAffordable(fact: Fact, source: Source): boolean {
    if (!(source instanceof Link) || this.#context.isBootstrapping) return true
    return this.#context.charge(source, 'checks', fact.signatures)
  }

  /**
   * One peer, or the topic, may introduce members at a bounded rate. Reconciliation brings refused
   * ones again. As many as are known may come at once: the other half of a pool that was
   * partitioned.
   */
  mayBringIn(fact: Fact, source: Source): boolean {
    const { view, facts } = this.#context
    if (this.#context.isBootstrapping || facts.rival(fact) !== undefined) return true
    if (source === 'topic') return this.#context.budgets.mayIntroduce(this.#context.now, view.size)
    if (!(source instanceof Link)) return true
    return this.#context.budgets.spend(source, 'newcomers', this.#context.now, 1, { own: view.size, strangers: 0 })
  }

  /**
   * Records of non-members also come at a bounded rate, over a link as on the topic
   * (`reception.ts`). As many as are known may come at once.
   */
  maySendRecord(fact: Fact, source: Source): boolean {
    const { isBootstrapping, budgets, now } = this.#context
    if (isBootstrapping || !(source instanceof Link) || !budgets.isStranger(fact.author, now)) return true
    return budgets.spend(source, 'records', now, 1, { own: this.#records.size, strangers: 0 })
  }

  /**
   * Ends of unknown members may be made up, so they fill no more than half of the tombstones. But a
   * newcomer knows nobody, and would request refused ends again and again.
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
