import type { Applied } from './applied.ts'
import type { SeatHost } from './seat-host.ts'

/** Entries between two saved states. A guess. */
const EVERY = 4096
/**
 * The number of saved states that wait before they replace entries. So the last 16,384 entries stay
 * in the log.
 */
const KEPT = 4

/** Replaces old entries by a saved state. */
export class Compaction {
  readonly #applied: Applied
  readonly #seat: () => SeatHost | undefined
  readonly #saved: { readonly index: number; readonly state: Uint8Array }[] = []

  constructor(applied: Applied, seat: () => SeatHost | undefined) {
    this.#applied = applied
    this.#seat = seat
  }

  /** Call it after entries were committed. */
  advance(): void {
    const seat = this.#seat()
    if (seat === undefined) return
    const { index } = this.#applied.end
    const before = this.#saved.at(-1)?.index ?? seat.state.log.snapshot.index
    // A restart applies the whole log at once, and an install skips entries. So some states were
    // not saved.
    if (index - seat.state.log.snapshot.index > (KEPT + 2) * EVERY && index <= seat.state.commit) {
      this.#saved.length = 0
      seat.deliver({ type: 'compact', index, state: this.#applied.fold.save() })
      return
    }
    if (index - before >= EVERY) this.#saved.push({ index, state: this.#applied.fold.save() })
    const [first] = this.#saved
    if (this.#saved.length <= KEPT || first === undefined || first.index > seat.state.commit) return
    this.#saved.shift()
    seat.deliver({ type: 'compact', ...first })
  }
}
