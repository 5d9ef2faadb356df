/**
 * Budgets: what others may cost this node, as token buckets.
 *
 * A bound on frames is not enough: one frame holds a thousand signatures to check, and a small question is answered with a large part of the
 * state. So what is expensive is counted by itself. Where the peer itself causes the cost, a bucket may be overdrawn: what was sent is taken in, and the
 * peer is read again when the debt is paid (back-pressure). What a peer may only be passing on is refused instead: a member that was told a thousand
 * made-up joins would be held back by all its neighbours, with its own questions. A limit slows a peer down; it is never an offence to reach one.
 *
 * An account belongs to the peer, not to its link: reconnecting fills no bucket. Keys are free, so all who are no members, or have been for a
 * moment only, also draw on one account together.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'

interface Rate {
  readonly own: number
  readonly strangers: number
}

/**
 * A second, on average; {@link burst} times as much at once. `strangers`: all of them together.
 *
 * Frames and bytes have no bound for all strangers: hosts bound how many may connect.
 */
export const rates = {
  /** Guess: ten times the busiest moment of a flash join. */
  frames: { own: 200, strangers: Infinity },
  /** Guess: the burst is a pool of 100,000 members. */
  bytes: { own: 2_097_152, strangers: Infinity },
  /** Frames of failure detection. They can't be held back, so what is beyond is dropped. Guess: a hundred times what an honest member sends. */
  urgent: { own: 200, strangers: Infinity },
  /** Signatures checked. Measured: 0.2 ms each with the key imported, so 4 % of a core. */
  checks: { own: 200, strangers: 800 },
  /** Members made known. Guess. */
  newcomers: { own: 50, strangers: 200 },
  /** Records made known, new ones and later versions, of owners that are no members. Guess: people publish a few a minute. */
  records: { own: 5, strangers: 20 },
  /** Members that this node probes for others. Guess: a rack goes down now and then. */
  pingReqs: { own: 10, strangers: 40 },
  /** Bytes of facts asked for. Guess: a quarter of a second for each page (reconcile.ts) that newcomers get. */
  answers: { own: 262_144, strangers: 2_097_152 },
  /** Ranges compared, and every sixteen facts looked at for them. Measured: some 15 µs each at 10,000 facts, so 8 % of a core. */
  work: { own: 5_000, strangers: 20_000 },
  /** Facts on the topic, by their author: a member's own word is not drowned by what others publish. Guess: a member speaks for itself a few times a minute. */
  published: { own: 0.5, strangers: 600 },
} satisfies Record<string, Rate>

export type Cost = keyof typeof rates

/** Seconds of a budget that may be used up at once. Guess. */
export const burst = 10

/** Members count as such after so long, ms. Guess: whoever waits so long for each key gets little for it. */
export const settledAfter = 60_000

/** Peers remembered. Guess: far more than a node has links with in an hour. */
const most = 4_096

/** So many of the oldest accounts are looked at for the one that owes least. Guess. */
const candidates = 32

export class Account {
  /** Only of what was ever spent: a simulation has many links. */
  readonly #buckets: { [Key in Cost]?: { left: number; size: number; at: Milliseconds } } = {}

  /** What is left of a bucket that holds `size` when it is full. */
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

  /** Seconds until all that was taken is back; 0 or less: it is as good as a new one. */
  debt(now: Milliseconds): number {
    let longest = 0
    for (const [cost, { left, size, at }] of Object.entries(this.#buckets))
      longest = Math.max(longest, (size - left) / rates[cost as Cost].own - (now - at) / 1000)
    return longest
  }
}

/** How much there may be at once where that depends on the pool. Default: {@link burst}. */
export interface AtOnce {
  readonly own: number
  readonly strangers: number
}

/** Who pays: the peer at the other end of a link. */
export interface Payer {
  readonly peer: NodeId
  readonly account: Account
}

export class Budgets {
  readonly #accounts = new Map<NodeId, Account>()
  readonly #strangers = new Account()
  readonly #topic = new Account()
  /** Who became known within the last minute, oldest first. */
  readonly #met = new Map<NodeId, Milliseconds>()
  readonly #knows: (id: NodeId) => boolean

  /** `knows`: this id is or was a member. */
  constructor(knows: (id: NodeId) => boolean) {
    this.#knows = knows
  }

  /** The same for each link with this peer. */
  account(peer: NodeId, now: Milliseconds): Account {
    const known = this.#accounts.get(peer)
    if (known !== undefined) return known
    this.#forgetPaid(now)
    if (this.#accounts.size >= most) this.#forgetOne(now)
    const account = new Account()
    this.#accounts.set(peer, account)
    return account
  }

  /** How many peers are remembered. */
  get size(): number {
    return this.#accounts.size
  }

  /** This id was not known before. */
  met(id: NodeId, now: Milliseconds): void {
    this.#met.set(id, now)
    for (const [oldest, since] of this.#met) {
      if (now - since < settledAfter) break
      this.#met.delete(oldest)
    }
  }

  /** True for who is no member, or was none a minute ago. */
  isStranger(id: NodeId, now: Milliseconds): boolean {
    const since = this.#met.get(id)
    return (since !== undefined && now - since < settledAfter) || !this.#knows(id)
  }

  /**
   * Takes this amount, on credit if need be. Returns in how many milliseconds the debt is paid, 0 for none; Infinity, and nothing is taken, for
   * who owes more than a burst, as happens only where its frames were not held back.
   */
  charge(payer: Payer, cost: Cost, now: Milliseconds, amount: number, atOnce?: AtOnce): Milliseconds {
    let wait = 0
    const accounts = this.#payers(payer, cost, now, atOnce)
    for (const { account, rate, size } of accounts) {
      const left = account.left(cost, now, rate, size)
      if (left < -rate * burst) return Infinity
      wait = Math.max(wait, ((amount - left) / rate) * 1000)
    }
    for (const { account } of accounts) account.take(cost, amount)
    return Math.max(0, wait)
  }

  /** Takes this amount if there is so much; false, and nothing is taken, if not. */
  spend(payer: Payer, cost: Cost, now: Milliseconds, amount = 1, atOnce?: AtOnce): boolean {
    const accounts = this.#payers(payer, cost, now, atOnce)
    if (accounts.some(({ account, rate, size }) => account.left(cost, now, rate, size) < amount)) return false
    for (const { account } of accounts) account.take(cost, amount)
    return true
  }

  /** Whether a fact on the topic is looked at. What a member says of itself is, in moderation; all else shares one bucket. */
  mayPublish(author: NodeId | undefined, now: Milliseconds): boolean {
    const { own, strangers } = rates.published
    const isMember = author !== undefined && !this.isStranger(author, now)
    const account = isMember ? this.account(author, now) : undefined
    const payer = account !== undefined && account.left('published', now, own, own * burst) >= 1 ? account : this.#topic
    if (payer === this.#topic && payer.left('published', now, strangers, strangers * burst) < 1) return false
    payer.take('published', 1)
    return true
  }

  /** Whether the topic may make one more member known, where so many are. */
  mayIntroduce(now: Milliseconds, members: number): boolean {
    const { own } = rates.newcomers
    if (this.#topic.left('newcomers', now, own, Math.max(own * burst, members)) < 1) return false
    this.#topic.take('newcomers', 1)
    return true
  }

  /** Whether the topic may tell one more record of this owner: what is beyond is not passed on. Members are bound by {@link mayPublish}. */
  mayTellRecord(owner: NodeId, now: Milliseconds): boolean {
    const { own } = rates.records
    if (!this.isStranger(owner, now)) return true
    if (this.#topic.left('records', now, own, own * burst) < 1) return false
    this.#topic.take('records', 1)
    return true
  }

  #payers({ peer, account }: Payer, cost: Cost, now: Milliseconds, atOnce?: AtOnce): { account: Account; rate: number; size: number }[] {
    const { own, strangers } = rates[cost]
    const payers = [{ account, rate: own, size: Math.max(own * burst, atOnce?.own ?? 0) }]
    if (strangers < Infinity && this.isStranger(peer, now))
      payers.push({ account: this.#strangers, rate: strangers, size: Math.max(strangers * burst, atOnce?.strangers ?? 0) })
    return payers
  }

  /** Of accounts that owe nothing two go for each that comes. One that owes is looked at again after the others. */
  #forgetPaid(now: Milliseconds): void {
    let looked = 0
    for (const [peer, account] of this.#accounts) {
      if (looked++ === 2) break
      this.#accounts.delete(peer)
      if (account.debt(now) > 0) this.#accounts.set(peer, account)
    }
  }

  /** Of the oldest accounts the one that owes least. */
  #forgetOne(now: Milliseconds): void {
    let best: NodeId | undefined
    let least = Infinity
    let looked = 0
    for (const [peer, account] of this.#accounts) {
      const debt = account.debt(now)
      if (debt < least) {
        least = debt
        best = peer
      }
      if (debt <= 0 || ++looked >= candidates) break
    }
    if (best !== undefined) this.#accounts.delete(best)
  }
}
