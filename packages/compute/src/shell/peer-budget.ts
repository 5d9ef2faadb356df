import type { MemberId, Milliseconds } from '../core/io.ts'

/** Share of this member's main thread that one peer's messages may take, on average. A guess: an honest member's take about a hundredth. */
const SHARE = 0.2
/** Processor time at once, ms. A guess: a new replica is told 64 MiB in two seconds. */
const AT_ONCE: Milliseconds = 2000
/** Processor time that a byte costs beside what is measured, ms: a stream carries 66 to 89 MB a second (measured). */
const BYTE: Milliseconds = 1 / 66_000
/** Peers remembered that owe nothing. A guess. */
const MOST = 1024

interface Account {
  /** Processor time, ms. */
  owed: Milliseconds
  at: Milliseconds
}

/**
 * What others cost this member, as one token bucket a peer, of processor time: whatever is expensive, be it signatures, look-ups, answers or nonsense, is paid for by who caused it, without a
 * price for each. A peer that overdraws it is read later (back-pressure); nothing is refused, as honest ones may reach a limit, too. All streams of a peer draw on one account.
 */
export class PeerBudget {
  readonly #accounts = new Map<MemberId, Account>()

  /** `took`: measured, ms. `bytes`: that came, and that were answered. */
  charge(peer: MemberId, took: Milliseconds, bytes: number, now: Milliseconds): void {
    const account = this.#account(peer, now)
    account.owed += took + bytes * BYTE
  }

  /** For how long this peer is not read, ms. */
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
