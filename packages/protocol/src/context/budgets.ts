/**
 * Budgets are token buckets (`token-buckets.ts`). They bound the cost that each peer causes to
 * this node.
 *
 * A bound on frames is not enough. One frame may hold a thousand signatures to check. A small
 * question may have a large part of the state as its answer. So each kind of expensive work has its
 * own bucket. If the peer itself causes the cost, it may overdraw the bucket: the node takes the
 * frame in, and reads from the peer again when the peer has paid the debt (back-pressure). If the
 * peer possibly only forwards facts of others, the node refuses the excess instead. Otherwise a
 * member that forwards a thousand made-up joins would owe a debt to all its neighbours. They would
 * stop reading from it. The member's own questions would wait, too. A limit slows a peer down. A
 * peer that reaches a limit commits no offence.
 *
 * An account belongs to the peer, not to its link, so reconnecting fills no bucket. Keys cost
 * nothing. So all strangers, and all members of less than a minute, also draw on one common
 * account.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import { Account, burst, rates, type Cost } from './token-buckets.ts'

/**
 * Age from which a member no longer counts as a stranger, ms. Guess: keys are worth little if each
 * needs this wait.
 */
export const settledAfter = 60_000

/**
 * Maximum number of accounts that a node keeps. Guess: a node has links with far fewer peers in an
 * hour.
 */
const most = 4_096

/** A node evicts the account with the least debt among this many oldest accounts. Guess. */
const candidates = 32

/** Bucket sizes that depend on the pool. Default: {@link burst}. */
export interface AtOnce {
  readonly own: number
  readonly strangers: number
}

/** The peer that pays: the other end of a link. */
export interface Payer {
  readonly peer: NodeId
  readonly account: Account
}

export class Budgets {
  readonly #accounts = new Map<NodeId, Account>()
  readonly #strangers = new Account()
  readonly #topic = new Account()
  /** Ids that became known within the last minute, oldest first. */
  readonly #met = new Map<NodeId, Milliseconds>()
  readonly #knows: (id: NodeId) => boolean

  /** `knows` returns true for an id that is or was a member. */
  constructor(knows: (id: NodeId) => boolean) {
    this.#knows = knows
  }

  /** Returns the account of a peer: the same for each link with it. */
  account(peer: NodeId, now: Milliseconds): Account {
    const known = this.#accounts.get(peer)
    if (known !== undefined) return known
    this.#forgetPaid(now)
    if (this.#accounts.size >= most) this.#forgetOne(now)
    const account = new Account()
    this.#accounts.set(peer, account)
    return account
  }

  /** Number of accounts kept. */
  get size(): number {
    return this.#accounts.size
  }

  /** Notes that an id became known. */
  met(id: NodeId, now: Milliseconds): void {
    this.#met.set(id, now)
    for (const [oldest, since] of this.#met) {
      if (now - since < settledAfter) break
      this.#met.delete(oldest)
    }
  }

  /** True for an id that was never a member, or that became known within the last minute. */
  isStranger(id: NodeId, now: Milliseconds): boolean {
    const since = this.#met.get(id)
    return (since !== undefined && now - since < settledAfter) || !this.#knows(id)
  }

  /**
   * Takes this amount, on credit if need be. Returns the milliseconds until the debt is paid, 0 for
   * no debt. Returns Infinity and takes nothing if the peer owes more than a burst. This happens
   * only if the host did not hold back the peer's frames.
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

  /** Takes this amount if the buckets hold it. Otherwise takes nothing and returns false. */
  spend(payer: Payer, cost: Cost, now: Milliseconds, amount = 1, atOnce?: AtOnce): boolean {
    const accounts = this.#payers(payer, cost, now, atOnce)
    if (accounts.some(({ account, rate, size }) => account.left(cost, now, rate, size) < amount)) return false
    for (const { account } of accounts) account.take(cost, amount)
    return true
  }

  /**
   * True if the node reads a fact on the topic. Facts of a member about itself draw on the member's
   * bucket, and certificates of its death on another one. All other facts, and those beyond these
   * buckets, share one bucket.
   */
  mayPublish(author: NodeId | undefined, now: Milliseconds, cost: 'published' | 'deaths' = 'published'): boolean {
    const { own } = rates[cost]
    const account = author === undefined || this.isStranger(author, now) ? undefined : this.account(author, now)
    if (account !== undefined && account.left(cost, now, own, own * burst) >= 1) {
      account.take(cost, 1)
      return true
    }
    const { strangers } = rates.published
    if (this.#topic.left('published', now, strangers, strangers * burst) < 1) return false
    this.#topic.take('published', 1)
    return true
  }

  /** True if the topic may introduce one more member to a pool of this size. */
  mayIntroduce(now: Milliseconds, members: number): boolean {
    const { own } = rates.newcomers
    if (this.#topic.left('newcomers', now, own, Math.max(own * burst, members)) < 1) return false
    this.#topic.take('newcomers', 1)
    return true
  }

  /**
   * True if the topic may carry one more record of this owner. The node does not pass on the
   * excess. {@link mayPublish} bounds the records of members.
   */
  maySendRecord(owner: NodeId, now: Milliseconds): boolean {
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

  /**
   * Checks two accounts for each new one, and drops them if they owe nothing. An account with a
   * debt moves behind the others.
   */
  #forgetPaid(now: Milliseconds): void {
    let looked = 0
    for (const [peer, account] of this.#accounts) {
      if (looked++ === 2) break
      this.#accounts.delete(peer)
      if (account.debt(now) > 0) this.#accounts.set(peer, account)
    }
  }

  /** Drops the account with the least debt among the oldest. */
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
