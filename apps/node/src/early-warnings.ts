import type { WarningDetail } from '@jel/jel'
import type { Reporter } from './terminal/reporter.ts'

/** A node that enters within this time says after `started` which introducers don't answer, ms. Guess: somebody who watches begins to wonder. */
const HELD_FOR = 2_000

/** What goes wrong while a node enters, for those who would otherwise be told nothing for as long as that takes. */
export class EarlyWarnings {
  readonly #reporter: Reporter
  readonly #timer: NodeJS.Timeout
  #held: WarningDetail[] | undefined = []

  constructor(reporter: Reporter) {
    this.#reporter = reporter
    this.#timer = setTimeout(() => {
      const held = this.#held ?? []
      this.#held = undefined
      for (const warning of held) this.#tell(warning)
    }, HELD_FOR)
  }

  take(warning: WarningDetail): void {
    if (this.#held === undefined) this.#tell(warning)
    else this.#held.push(warning)
  }

  /**
   * The node has entered, or can't, and the error says why. Returns what was not told yet, less what a node that has entered says itself as long as it is so: which
   * introducers don't answer.
   */
  close(): WarningDetail[] {
    clearTimeout(this.#timer)
    return (this.#held ?? []).filter(({ code }) => code !== 'INTRODUCER_UNREACHABLE')
  }

  #tell({ code, message }: WarningDetail): void {
    this.#reporter.report({ event: 'error', code, message })
  }
}
