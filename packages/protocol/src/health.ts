/**
 * Health: how well this node is connected, as far as it can tell (an application can always find out that it is alone or in a minority).
 */
import type { Health } from './base/io.ts'
import type { Context } from './context/context.ts'
import type { Reconciler } from './dissemination/reconcile.ts'
import type { Introduction } from './life/introduction.ts'
import type { Detector } from './mortality/detector.ts'
import type { Healer } from './topology/heal.ts'

export interface HealthSources {
  readonly detector: Detector
  readonly healer: Healer
  readonly introduction: Introduction
  readonly reconciler: Reconciler
}

export class HealthReport {
  readonly #context: Context
  readonly #sources: HealthSources
  #wasAlone = false

  constructor(context: Context, sources: HealthSources) {
    this.#context = context
    this.#sources = sources
  }

  get current(): Health {
    const { links, view } = this.#context
    const { detector, healer, introduction, reconciler } = this.#sources
    const lost = healer.recentlyLost()
    const others = view.size - 1 + lost
    return {
      links: links.size,
      members: view.size,
      suspectedShare: others <= 0 ? 0 : Math.min(1, (detector.doubted + lost) / others),
      alone: this.#isAlone(),
      lastReconciliation: reconciler.lastCompleted,
      introducers: introduction.failing,
    }
  }

  /** Tells the application when this node finds itself alone, and when it is no longer. */
  report(): void {
    const isAlone = this.#isAlone()
    if (isAlone === this.#wasAlone) return
    this.#wasAlone = isAlone
    this.#context.notify({ type: 'health', health: this.current })
  }

  /** Nobody can be reached, although there is or was somebody. */
  #isAlone(): boolean {
    const { detector, healer, introduction } = this.#sources
    for (const peer of this.#context.links.keys()) if (detector.isInContact(peer)) return false
    return this.#context.view.size > 1 || healer.size > 0 || introduction.failing.length > 0
  }
}
