import { OverlayClosedError } from '@jel/overlay'
import { checkElectionName } from '../base/arguments.ts'
import type { Reign } from '../base/member.ts'
import { CandidacyWithdrawnError, ElectionsOffError } from '../errors.ts'
import { MemberCalls } from './members.ts'
import type { Abortable, Session } from '../base/session.ts'

/** A caller that waits for the result of an election. */
interface Waiter {
  readonly election: string
  readonly isCandidate: boolean
  readonly resolve: (reign: Reign) => void
  readonly reject: (error: Error) => void
}

/**
 * The calls of a pool about its elections. After a result a candidacy outlives its call: when the
 * winner goes, the remaining candidates elect the next one unasked (JEL §3.2).
 */
export class ElectionCalls extends MemberCalls {
  readonly #session: Session
  readonly #waiters = new Set<Waiter>()
  /** Elections in which a candidacy of this node had a result. An abort does not withdraw it. */
  readonly #standing = new Set<string>()

  /** @internal */
  constructor(session: Session) {
    super(session)
    this.#session = session
    session.listen(
      {
        elected: ({ reign }) => {
          if (session.parts.elections === 'off') return
          this.#settle(reign)
          session.emit('elected', reign)
        },
        // The gap may have hidden results.
        gap: () => {
          for (const { election } of this.#waiters) this.#settleKnown(election)
        },
      },
      (error) => {
        for (const waiter of this.#waiters) this.#reject(waiter, error)
      },
    )
  }

  /**
   * Nominates this node and waits for a result (JEL §3.2). The winner may be another node. A known
   * winner that is alive keeps the role. The candidacy lasts until `withdraw()`, leave or death.
   * When a winner goes, the remaining candidates elect the next one unasked, and `elected` events
   * report it. A node with `bootstrap` addresses first waits until it has reached one of them,
   * unless it joined with `found`. A result is provisional until the pool agrees (JEL §3.3,
   * non-uniform). With `elections: 'uniform'` the first result is final: each epoch has one winner.
   *
   * @param options.signal gives up waiting; if there was no result yet, the candidacy is withdrawn
   * @throws ElectionsOffError, InvalidElectionNameError, PoolLeftError; CandidacyWithdrawnError if
   *   `withdraw()` comes first; ElectionsFullError if this node stands in as many elections as it
   *   may
   */
  async elect(election: string, options: Abortable = {}): Promise<Reign> {
    this.#check(election, options.signal)
    return await this.#wait(election, true, options.signal)
  }

  /**
   * Waits for the winner of an election without being a candidate (JEL §3.2, `getElectionResult`).
   * The call waits for as long as there is no winner.
   *
   * @param options.signal gives up waiting
   * @throws ElectionsOffError, InvalidElectionNameError, PoolLeftError
   */
  async electionResult(election: string, options: Abortable = {}): Promise<Reign> {
    this.#check(election, options.signal)
    return await this.#wait(election, false, options.signal)
  }

  /**
   * Returns the present reigns that this node knows of (JEL §3.2). They are sorted by the names of
   * the elections, except with `thread: 'worker'`.
   */
  reigns(): readonly Reign[] {
    return this.#session.parts.elections === 'off' ? [] : this.#session.electorate.reigns()
  }

  /**
   * Ends this node's candidacy. If this node had the role, the remaining candidates elect the next
   * winner. Not in the paper.
   *
   * @throws ElectionsOffError, InvalidElectionNameError, PoolLeftError
   */
  withdraw(election: string): void {
    this.#check(election)
    this.#standing.delete(election)
    this.#session.order(() => this.#session.electorate.withdraw(election))
    for (const waiter of this.#candidates(election)) this.#reject(waiter, new CandidacyWithdrawnError(election))
  }

  #check(election: string, signal?: AbortSignal): void {
    this.#session.check(signal)
    if (this.#session.parts.elections === 'off') throw new ElectionsOffError()
    checkElectionName(election)
  }

  async #wait(election: string, isCandidate: boolean, signal: AbortSignal | undefined): Promise<Reign> {
    const { promise, resolve, reject } = Promise.withResolvers<Reign>()
    const waiter = { election, isCandidate, resolve, reject }
    const abort = (): void => {
      if (!this.#reject(waiter, signal?.reason as Error)) return
      if (isCandidate && !this.#standing.has(election) && this.#candidates(election).length === 0) this.#abandon(election)
    }
    this.#waiters.add(waiter)
    signal?.addEventListener('abort', abort)
    try {
      if (isCandidate) await Promise.race([promise, this.#session.ask(() => this.#session.electorate.elect(election))])
      this.#settleKnown(election)
      return await promise
    } finally {
      this.#waiters.delete(waiter)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Settles the callers that wait for this election. */
  #settle(reign: Reign): void {
    for (const waiter of this.#waiters) {
      if (waiter.election !== reign.election) continue
      this.#waiters.delete(waiter)
      if (waiter.isCandidate) this.#standing.add(reign.election)
      waiter.resolve(reign)
    }
  }

  /**
   * Settles the waiting callers with the known reign. With `elections: 'uniform'` each known reign
   * counts: the ledger drops the reign of a winner that ends. Otherwise a reign counts only while
   * its winner is a member. After that only the next reign counts.
   */
  #settleKnown(election: string): void {
    const reign = this.#session.electorate.reign(election)
    if (reign === undefined) return
    if (this.#session.parts.elections === 'uniform') {
      this.#settle(reign)
      return
    }
    const { id, incarnation } = reign.winner
    if (this.members().some((member) => member.id === id && member.incarnation === incarnation)) this.#settle(reign)
  }

  /** Returns false if the caller has its result already. */
  #reject(waiter: Waiter, error: Error): boolean {
    waiter.reject(error)
    return this.#waiters.delete(waiter)
  }

  /**
   * Withdraws for a caller that is gone. If the pool has ended, its candidacies have ended, too.
   */
  #abandon(election: string): void {
    try {
      this.#session.electorate.withdraw(election)
    } catch (error) {
      if (!(error instanceof OverlayClosedError)) throw error
    }
  }

  #candidates(election: string): readonly Waiter[] {
    return [...this.#waiters].filter((waiter) => waiter.isCandidate && waiter.election === election)
  }
}
