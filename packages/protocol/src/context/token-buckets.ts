/** Token buckets: one for each kind of cost that a peer causes to this node. */
import type { Milliseconds } from '../base/values.ts'

interface Rate {
  readonly own: number
  readonly strangers: number
}

/**
 * Average amounts a second. A peer may cause {@link burst} times as much at once. `strangers` is
 * the amount for all strangers together.
 *
 * `frames`, `bytes` and `urgent` have no bound for all strangers, since hosts bound the number of
 * connections. `deaths` beyond a member's own bucket draw on the strangers' amount of `published`.
 */
export const rates = {
  /** Guess: ten times the busiest moment of a flash join. */
  frames: { own: 200, strangers: Infinity },
  /** Guess: a burst carries a pool of 100,000 members. */
  bytes: { own: 2_097_152, strangers: Infinity },
  /**
   * Frames of failure detection. The host can't hold them back, so the node drops the excess.
   * Guess: a hundred times the rate of an honest member.
   */
  urgent: { own: 200, strangers: Infinity },
  /**
   * Signatures checked. Measured: 0.2 ms each, the import of the key included, so 4 % of a core.
   */
  checks: { own: 200, strangers: 800 },
  /** Members introduced. Guess. */
  newcomers: { own: 50, strangers: 200 },
  /**
   * New records and later versions of records, of owners that are no members. Guess: people publish
   * a few records a minute.
   */
  records: { own: 5, strangers: 20 },
  /** Members that this node probes for others. Guess: a rack goes down now and then. */
  pingReqs: { own: 10, strangers: 40 },
  /**
   * Bytes of facts that the peer requests. Guess: a newcomer's page (page.ts) takes a quarter
   * of a second.
   */
  answers: { own: 262_144, strangers: 2_097_152 },
  /**
   * Ranges compared. Sixteen facts that the node reads for them, or that the peer offers or
   * requests, count as one more range. Measured: some 15 µs each at 10,000 facts, so 8 % of a core.
   */
  work: { own: 5_000, strangers: 20_000 },
  /**
   * Facts on the topic, by author, so that other publications can't drown a member's facts about
   * itself. Guess: a member publishes a few facts about itself a minute.
   */
  published: { own: 0.5, strangers: 600 },
  /**
   * Certificates on the topic, by suspect. Anybody can sign one, so they have a bucket apart from
   * that of the suspect's own facts. Guess: as many as the suspect's own facts.
   */
  deaths: { own: 0.5, strangers: Infinity },
} satisfies Record<string, Rate>

export type Cost = keyof typeof rates

/** Seconds of a budget that a peer may spend at once. Guess. */
export const burst = 10

/** The token buckets of one peer. */
export class Account {
  /** Only the buckets that were ever used: a simulation has many links. */
  readonly #buckets: { [Key in Cost]?: { left: number; size: number; at: Milliseconds } } = {}

  /** Returns the content of a bucket that holds `size` when it is full. */
  left(cost: Cost, now: Milliseconds, rate: number, size: number): number {
    const bucket = (this.#buckets[cost] ??= { left: size, size, at: now })
    bucket.size = size
    bucket.left = Math.min(size, bucket.left + ((now - bucket.at) / 1000) * rate)
    bucket.at = now
    return bucket.left
  }

  take(cost: Cost, amount: number): void {
    const bucket = this.#buckets[cost]
    if (bucket !== undefined) bucket.left -= amount
  }

  /** Returns the seconds until all buckets are full. At 0 the account equals a new one. */
  debt(now: Milliseconds): number {
    let longest = 0
    for (const [cost, { left, size, at }] of Object.entries(this.#buckets))
      longest = Math.max(longest, (size - left) / rates[cost as Cost].own - (now - at) / 1000)
    return longest
  }
}
