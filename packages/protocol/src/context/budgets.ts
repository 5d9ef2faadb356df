/**
 * Budgets: what others may cost this node. A token bucket each, for the peer at the other end of a link, or for all who publish.
 *
 * A bound on frames is not enough: one frame holds a thousand signatures to check, and one small question is answered by the whole
 * state. So what is expensive is counted by itself.
 */
import type { Milliseconds } from '../base/io.ts'

/**
 * Frames and bytes that are sent, signatures that are checked, members that are made known, members that this node is made to look
 * after, bytes of facts that are asked for.
 */
type Budget = 'frames' | 'bytes' | 'checks' | 'newcomers' | 'hints' | 'answers'

/** Seconds of a budget that may be used up at once. Guess. */
const burst = 10

export class Budgets {
  /** Only of what was ever spent: a simulation has many links. */
  readonly #held: { [Key in Budget]?: { left: number; at: Milliseconds } } = {}

  /** Takes something from a budget of `rate` a second, `most` at once; false, and nothing taken, if not so much is left. */
  spend(budget: Budget, now: Milliseconds, rate: number, amount = 1, most = rate * burst): boolean {
    const held = (this.#held[budget] ??= { left: most, at: now })
    held.left = Math.min(most, held.left + ((now - held.at) / 1000) * rate)
    held.at = now
    if (held.left < amount) return false
    held.left -= amount
    return true
  }
}
