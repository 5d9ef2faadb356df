import type { Epochs } from './epochs.ts'
import type { RankEffect } from './rank-effect.ts'

/** Ends the calls of all ranks in an epoch, as `revoke` of ULFM does. */
export class Revocation {
  readonly #self: string
  readonly #epochs: Epochs
  readonly #lost: ReadonlySet<string>
  readonly #emit: (effect: RankEffect) => void
  /** The last epoch whose calls have ended here. */
  #revoked = -1
  /**
   * The last epoch in which this rank told all ranks that some rank goes on without the lost ranks.
   */
  #told = -1

  constructor(self: string, epochs: Epochs, lost: ReadonlySet<string>, emit: (effect: RankEffect) => void) {
    this.#self = self
    this.#epochs = epochs
    this.#lost = lost
    this.#emit = emit
  }

  /** The program of this rank revokes the epoch. */
  begin(): void {
    if (this.take()) this.#tellOthers()
  }

  /** Ends the calls of this rank. Returns false if they have ended already. */
  take(): boolean {
    if (this.#revoked === this.#epochs.epoch) return false
    this.#revoked = this.#epochs.epoch
    this.#emit({ type: 'revoked', epoch: this.#revoked })
    return true
  }

  /**
   * If some rank goes on without the lost ranks, calls of other ranks may wait for it. So the first
   * rank that is not lost tells all ranks that their calls fail.
   */
  review(): void {
    const { epoch, ranks, isUrgent } = this.#epochs
    if (!isUrgent) return
    this.take()
    const leader = ranks.find((each) => !this.#lost.has(each))
    if (this.#told === epoch || leader !== this.#self) return
    this.#told = epoch
    this.#tellOthers()
  }

  #tellOthers(): void {
    const { epoch, ranks } = this.#epochs
    for (const to of ranks) if (to !== this.#self && !this.#lost.has(to)) this.#emit({ type: 'send', to, content: { revoked: epoch } })
  }
}
