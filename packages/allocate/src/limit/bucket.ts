import type { Milliseconds } from '../core/calendar.ts'
import type { Lease } from '../core/shares.ts'

/**
 * The bucket has room for the tokens of this time, ms. In any span a sender exceeds the rate by at
 * most these tokens. A guess: a timer may be late, and the sender may catch up then.
 */
export const DEPTH: Milliseconds = 50

/** A token bucket, whose rate may change at any time. It is full at first. */
export class Bucket {
  #level: number | undefined
  #at: Milliseconds = 0

  /**
   * Takes tokens.
   *
   * @param rate tokens a second
   * @returns 0 if it took them; otherwise it took none, and returns the time until there are
   *   enough, ms
   */
  take(tokens: number, rate: number, now: Milliseconds): Milliseconds {
    const depth = (rate * DEPTH) / 1000
    const level = Math.min(depth, this.#level === undefined ? depth : this.#level + (rate * (now - this.#at)) / 1000)
    this.#level = level
    this.#at = now
    // If more tokens are wanted than fit into the bucket, the level becomes negative.
    const lack = Math.min(tokens, depth) - level
    if (rate <= 0) return tokens > 0 ? Infinity : 0
    if (lack > 1e-9 * depth) return (lack / rate) * 1000
    this.#level = level - tokens
    return 0
  }
}

/**
 * Returns the amount of a capacity that a lease may use at this time. A background holder whose
 * share became smaller has its former amount for the time of grace.
 */
export function usableOf({ reservation, former, amounts, yielded }: Lease, capacity: string, now: Milliseconds): number {
  if (now >= reservation.end) return 0
  if (former !== undefined && now < former.end) return now < former.start ? 0 : (former.amounts[capacity] ?? 0)
  if (now < reservation.start) return 0
  const held = yielded.get(capacity)
  return held !== undefined && now < held.until ? held.amount : (amounts[capacity] ?? 0)
}
