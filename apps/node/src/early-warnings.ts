import type { WarningDetail } from '@jel/jel'
import type { Reporter } from './terminal/reporter.ts'

/**
 * The time for which the warnings of an entering node are held, ms. A node that enters within this
 * time reports unreachable introducers itself, after `started`. Guess: after this time a person
 * begins to wonder.
 */
const HELD_FOR = 2_000

/** Reports problems while a node enters. Otherwise its user would learn nothing for that time. */
export class EarlyWarnings {
  readonly #reporter: Reporter
  readonly #timer: NodeJS.Timeout
  #held: WarningDetail[] | undefined = []

  constructor(reporter: Reporter) {
    this.#reporter = reporter
    this.#timer = setTimeout(() => {
      const held = this.#held ?? []
      this.#held = undefined
      for (const warning of held) this.#report(warning)
    }, HELD_FOR)
  }

  take(warning: WarningDetail): void {
    if (this.#held === undefined) this.#report(warning)
    else this.#held.push(warning)
  }

  /**
   * Ends the reports: the node has entered, or an error has the reason why it can't. Returns the
   * warnings that were not reported, except warnings about unreachable introducers. A node that has
   * entered reports its unreachable introducers itself.
   */
  close(): WarningDetail[] {
    clearTimeout(this.#timer)
    return (this.#held ?? []).filter(({ code }) => code !== 'INTRODUCER_UNREACHABLE')
  }

  #report({ code, message }: WarningDetail): void {
    this.#reporter.report({ event: 'error', code, message })
  }
}
