import type { MemberId, Milliseconds } from '../core/io.ts'

/**
 * Share of this member's main thread that the messages of one peer may use on average. A guess: the
 * messages of an honest member take about a hundredth.
 */
const SHARE = 0.2
/**
 * Processor time that a peer may use at once, ms. A guess: a new replica receives 64 MiB in two
 * seconds.
 */
const AT_ONCE: Milliseconds = 2000
/**
 * Processor time for each byte, added to the measured time, ms. Measured: a stream carries 66 to 89
 * MB/s.
 */
const BYTE: Milliseconds = 1 / 66_000
/** If there are more accounts than this, the budget forgets those without debts. A guess. */
const MOST = 1024

interface Account {
  /** Processor time, ms. */
  owed: Milliseconds
  at: Milliseconds
}

/**
 * Bounds the cost of each peer by a token bucket of processor time. A peer pays the measured time
 * of all work that it causes: signatures, lookups, answers, invalid messages. If a peer overdraws
 * its account, this member reads its messages later (back-pressure). It refuses no message, because
 * honest peers may reach the limit, too. All streams of a peer share one account.
 */
export class PeerBudget {
  readonly #accounts = new Map<MemberId, Account>()

  /**
   * @param took measured time, ms
   * @param bytes bytes received, plus bytes sent in reply
   */
  charge(peer: MemberId, took: Milliseconds, bytes: number, now: Milliseconds): void {
    const account = this.#account(peer, now)
    account.owed += took + bytes * BYTE
  }

  /** Returns how long this member must not read from a peer, ms. */
  wait(peer: MemberId, now: Milliseconds): Milliseconds {
    const known = this.#accounts.has(peer)
    return known ? Math.max(0, (this.#account(peer, now).owed - AT_ONCE) / SHARE) : 0
  }

  #account(peer: MemberId, now: Milliseconds): Account {
    const account = this.#accounts.get(peer) ?? { owed: 0, at: now }
    account.owed = Math.max(0, account.owed - (now - account.at) * SHARE)
    account.at = now
    this.#accounts.set(peer, account)
    if (this.#accounts.size > MOST) this.#forgetPaid(now)
    return account
  }

  #forgetPaid(now: Milliseconds): void {
    for (const [peer, { owed, at }] of this.#accounts) if (owed <= (now - at) * SHARE) this.#accounts.delete(peer)
  }
}
