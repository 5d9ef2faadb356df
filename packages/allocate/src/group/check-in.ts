import { Agreement } from './agreement.ts'
import type { Epochs, SendAbout } from './epochs.ts'
import type { Said } from './messages.ts'

/** Maximum number of newcomers whose messages wait until this rank knows of them. A guess. */
const MAX_EARLY = 64

/** A message of a rank about the check-in of an epoch. */
interface Spoken {
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
  /** Messages about epochs that have not begun here. */
  #early: Spoken[] = []

  constructor(self: string, epochs: Epochs, send: SendAbout) {
    this.#self = self
    this.#epochs = epochs
    this.#send = send
    this.#agreement = new Agreement<string, string>(self, epochs.ranks, () => 'run')
  }

  /**
   * `run`: the programs run. `over`: all ranks that had taken this newcomer in are lost. Undefined:
   * nothing is decided yet.
   */
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
   * An epoch with newcomers has begun.
   *
   * @param isNew whether this rank is a newcomer
   */
  begin(isNew: boolean, lost: Iterable<string>): void {
    this.#epoch = this.#epochs.epoch
    // If only newcomers are left, they can't know whether the other ranks took them in.
    this.#agreement = new Agreement<string, string>(this.#self, this.#epochs.ranks, () => (isNew ? 'over' : 'run'))
    for (const place of lost) this.gone(place)
    const early = this.#early
    this.#early = []
    for (const each of early) this.take(each, isNew)
  }

  take(spoken: Spoken, isNew: boolean): void {
    const { from, epoch, said } = spoken
    if (epoch > this.#epochs.epoch) {
      if (this.#early.length < this.#epochs.ranks.length * 2 + MAX_EARLY) this.#early.push(spoken)
    } else if (!this.#epochs.ranks.includes(from)) {
      // The starter chose this newcomer, and died before it told any of the other ranks.
      if ('report' in said) this.#send(epoch, [{ to: from, message: { decided: 'over' } }])
    } else if (epoch === this.#epoch && (isNew || !('decided' in said && said.decided === 'over')))
      this.#send(epoch, this.#agreement.take(from, said as never))
  }
}
