import { Agreement } from './agreement.ts'
import type { Epochs, SendAbout } from './epochs.ts'
import type { Said } from './messages.ts'

/** So many newcomers may check in before this rank knows of them. A guess. */
const MAX_EARLY = 64

/** Words of a rank about the check-in of an epoch. */
interface Words {
  readonly from: string
  readonly epoch: number
  readonly said: Said
}

/**
 * The agreement of the ranks about the time at which their programs run: at the start, and in each
 * epoch that has newcomers.
 */
export class CheckIn {
  readonly #self: string
  readonly #epochs: Epochs
  readonly #send: SendAbout
  /** The last epoch that began with a check-in. */
  #epoch = 0
  #agreement: Agreement<string, string>
  /** Words for an epoch that has not begun here. */
  #early: Words[] = []

  constructor(self: string, epochs: Epochs, send: SendAbout) {
    this.#self = self
    this.#epochs = epochs
    this.#send = send
    this.#agreement = new Agreement<string, string>(self, epochs.ranks, () => 'run')
  }

  /** `over`: nobody who took this newcomer in is left. Undefined: there is no decision yet. */
  get decision(): string | undefined {
    return this.#agreement.decision?.value
  }

  get awaited(): readonly string[] {
    return this.#agreement.awaited
  }

  /** The program of this rank is loaded. */
  report(): void {
    this.#send(this.#epoch, this.#agreement.report('ready'))
  }

  gone(place: string): void {
    this.#send(this.#epoch, this.#agreement.gone(place))
  }

  /**
   * An epoch has begun that has newcomers.
   *
   * @param isNew whether this rank is one of them
   */
  begin(isNew: boolean, lost: Iterable<string>): void {
    this.#epoch = this.#epochs.epoch
    // Newcomers alone are no group: they don't know whether the others took them in.
    this.#agreement = new Agreement<string, string>(this.#self, this.#epochs.ranks, () => (isNew ? 'over' : 'run'))
    for (const place of lost) this.gone(place)
    const early = this.#early
    this.#early = []
    for (const each of early) this.take(each, isNew)
  }

  take(words: Words, isNew: boolean): void {
    const { from, epoch, said } = words
    if (epoch > this.#epochs.epoch) {
      if (this.#early.length < this.#epochs.ranks.length * 2 + MAX_EARLY) this.#early.push(words)
    } else if (!this.#epochs.ranks.includes(from)) {
      // A newcomer that a starter chose, which died before any rank heard of it.
      if ('report' in said) this.#send(epoch, [{ to: from, message: { decided: 'over' } }])
    } else if (epoch === this.#epoch && (isNew || !('decided' in said && said.decided === 'over')))
      this.#send(epoch, this.#agreement.take(from, said as never))
  }
}
