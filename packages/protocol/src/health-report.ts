/**
 * Health: the connectedness of this node, as far as it can detect it. An application can always
 * find out that its node is alone or in a minority.
 */
import type { Health } from './base/notification.ts'
import type { Context } from './context/context.ts'
import type { FailureDetector } from './detection/failure-detector.ts'
import type { Introduction } from './life/introduction.ts'
import type { Healer } from './topology/heal.ts'

export interface HealthSources {
  readonly detector: FailureDetector
  readonly healer: Healer
  readonly introduction: Introduction
}

export class HealthReport {
  readonly #context: Context
  readonly #sources: HealthSources
  #wasAlone = false
  #wasMinority = false
  /** Number of members before this node lost most of them; 0 if this node is in no minority. */
  #whole = 0
  /** Largest number of members since the last check that found no loss within a minute. */
  #peak = 0

  constructor(context: Context, sources: HealthSources) {
    this.#context = context
    this.#sources = sources
  }

  get current(): Health {
    this.#update()
    const { links, view } = this.#context
    const { detector, healer, introduction } = this.#sources
    const lost = healer.recentlyLost()
    const others = view.size - 1 + lost
    return {
      links: links.size,
      members: view.size,
      suspectedShare: others <= 0 ? 0 : Math.min(1, (detector.suspected + lost) / others),
      relayed: detector.relayed,
      alone: this.#isAlone(),
      minority: this.#whole > 0,
      lastReconciliation: this.#context.lastReconciliation,
      introducers: introduction.failing,
    }
  }

  /**
   * Notifies the application when this node is newly alone or in a minority, and when that ends.
   */
  report(): void {
    this.#update()
    const isAlone = this.#isAlone()
    const isMinority = this.#whole > 0
    if (isAlone === this.#wasAlone && isMinority === this.#wasMinority) return
    this.#wasAlone = isAlone
    this.#wasMinority = isMinority
    this.#context.notify({ type: 'health', health: this.current })
  }

  /**
   * Detects a minority. A death counts for a minute, so a pool that loses members now and then is
   * no minority. Once detected, a minority lasts as long as the partition: no event on this side
   * shows that the other side is gone.
   */
  #update(): void {
    const { detector, healer } = this.#sources
    const { size } = this.#context.view
    this.#peak = healer.size === 0 ? size : Math.max(this.#peak, size)
    const missing = detector.suspected + healer.size
    const reachable = size - detector.suspected
    // The usual case: this node reaches more than half of the members, even if it counts all
    // remembered lost members.
    if (missing === 0 || 2 * reachable > Math.max(this.#whole, size + healer.size)) this.#whole = 0
    else {
      const lost = healer.recentlyLost()
      if (lost === 0) this.#peak = size
      // A lost member may have joined after the loss of another one. The pool never had both at
      // once, so `size + lost` may be too large.
      const whole = Math.min(size + lost, this.#peak)
      if (2 * reachable <= whole) this.#whole = Math.max(this.#whole, whole)
      else if (2 * reachable > this.#whole) this.#whole = 0
    }
  }

  /** True if this node reaches no other member, although the pool has or had others. */
  #isAlone(): boolean {
    const { detector, introduction } = this.#sources
    const { links, view, isWhole } = this.#context
    for (const peer of links.keys()) if (detector.isInContact(peer)) return false
    // Introducers count only before the first reconciliation. Afterwards an unreachable introducer
    // counts as a lost member.
    return view.size > 1 || this.#whole > 2 || (!isWhole && introduction.failing.length > 0)
  }
}
