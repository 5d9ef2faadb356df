import type { WarningDetail } from '@jel/jel'
import type { Reporter } from './terminal/reporter.ts'

/** A node that enters within this time says after `started` which introducers don't answer, ms. Guess: somebody who watches begins to wonder. */
const PATIENCE = 2_000

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
    }, PATIENCE)
  }

  take(warning: WarningDetail): void {
    if (this.#held === undefined) this.#tell(warning)
    else this.#held.push(warning)
  }

  /** The node has entered, and says itself what is still so; or it can't, and the error says why. */
  close(): void {
    clearTimeout(this.#timer)
  }

  #tell({ code, message }: WarningDetail): void {
    this.#reporter.report({ event: 'error', code, message })
  }
}
