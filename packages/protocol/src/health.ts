/**
 * Health: how well this node is connected, as far as it can tell (an application can always find out that it is alone or in a minority).
 */
import type { Health } from './base/io.ts'
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
  /** Members there were before most of them were lost; 0: this node is in no minority. */
  #whole = 0
  /** The most members there were at a time since one was lost, and a minute before. */
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

  /** Tells the application when this node finds itself alone or in a minority, and when it is no longer. */
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
   * Finds out whether this node is in a minority. Deaths count for a minute, so that a pool that loses members now and then is none; but
   * once it is one it stays one however long the partition lasts, as nothing that happens on this side says that the other side is gone.
   */
  #update(): void {
    const { detector, healer } = this.#sources
    const { size } = this.#context.view
    this.#peak = healer.size === 0 ? size : Math.max(this.#peak, size)
    const missing = detector.suspected + healer.size
    const reachable = size - detector.suspected
    // Most of the time this is all that has to be looked at: even if all that are remembered were lost just now, more than half are here.
    if (missing === 0 || 2 * reachable > Math.max(this.#whole, size + healer.size)) this.#whole = 0
    else {
      const lost = healer.recentlyLost()
      if (lost === 0) this.#peak = size
      // One that was lost, and another one in its place that was lost as well, never were two members.
      const whole = Math.min(size + lost, this.#peak)
      if (2 * reachable <= whole) this.#whole = Math.max(this.#whole, whole)
      else if (2 * reachable > this.#whole) this.#whole = 0
    }
  }

  /** Nobody can be reached, although there is or was somebody. */
  #isAlone(): boolean {
    const { detector, introduction } = this.#sources
    const { links, view, isWhole } = this.#context
    for (const peer of links.keys()) if (detector.isInContact(peer)) return false
    // Once it was in a pool, an introducer that can't be reached is a member that was lost, and counts as one.
    return view.size > 1 || this.#whole > 2 || (!isWhole && introduction.failing.length > 0)
  }
}
