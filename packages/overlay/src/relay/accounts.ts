/** The use of a relay: by each member, by each network that members come from, and by all. */
import type { Connection } from '@libp2p/interface'
import { networkOf } from '../base/addresses.ts'

/** Bytes that a sender may send at once, above its rate. Guess: a large value of a job. */
const bytesAtOnce = 16_000_000

export interface AccountLimits {
  /** Circuits at a time. */
  readonly circuits: number
  readonly bytesPerSecond: number
}

/**
 * Guesses: a member may use half of a line of 100 Mbit/s. All members behind one router share half
 * of it, too. All members together may use the whole line.
 */
const limits = {
  member: { circuits: 64, bytesPerSecond: 6_000_000 },
  network: { circuits: 128, bytesPerSecond: 6_000_000 },
  all: { circuits: 256, bytesPerSecond: 12_000_000 },
} as const satisfies Readonly<Record<string, AccountLimits>>

export class Account {
  circuits = 0
  readonly #limits: AccountLimits
  #owed = 0
  #at = performance.now()

  constructor(accountLimits: AccountLimits) {
    this.#limits = accountLimits
  }

  get isFull(): boolean {
    return this.circuits >= this.#limits.circuits
  }

  /** True if it has neither circuits nor a debt. */
  get isSettled(): boolean {
    this.charge(0)
    return this.circuits === 0 && this.#owed === 0
  }

  /** Returns the time for which the sender of these bytes must wait, ms. */
  charge(bytes: number): number {
    const { bytesPerSecond } = this.#limits
    const now = performance.now()
    this.#owed = Math.max(0, this.#owed - ((now - this.#at) / 1_000) * bytesPerSecond) + bytes
    this.#at = now
    return Math.max(0, ((this.#owed - bytesAtOnce) / bytesPerSecond) * 1_000)
  }
}

export class Accounts {
  readonly all = new Account(limits.all)
  readonly #accounts = new Map<string, Account>()

  /** Returns the accounts that pay for the circuits of this connection's peer. */
  of({ remotePeer, remoteAddr }: Pick<Connection, 'remotePeer' | 'remoteAddr'>): readonly Account[] {
    const network = networkOf(remoteAddr, 4, 4) ?? ''
    return [this.#account(remotePeer.toString(), limits.member), this.#account(`at ${network}`, limits.network), this.all]
  }

  /** Counts a circuit of these accounts until it is disposed of. */
  reserve(accounts: Iterable<Account>): Disposable {
    const each = new Set(accounts)
    for (const account of each) account.circuits++
    return {
      [Symbol.dispose]: () => {
        for (const account of each) account.circuits--
      },
    }
  }

  /** Forgets accounts without circuits and debts. A debt outlives the circuits that made it. */
  forgetSettled(): void {
    for (const [key, account] of this.#accounts) if (account.isSettled) this.#accounts.delete(key)
  }

  #account(key: string, accountLimits: AccountLimits): Account {
    const known = this.#accounts.get(key) ?? new Account(accountLimits)
    this.#accounts.set(key, known)
    return known
  }
}
