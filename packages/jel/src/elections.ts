import { OverlayClosedError } from '@jel/overlay'
import { CandidacyWithdrawnError } from './errors.ts'
import type { Reign } from './member.ts'
import type { PoolHost } from './pool-host.ts'

interface Waiter {
  readonly candidate: boolean
  settle(reign: Reign): void
  reject(error: Error): void
}

/**
 * The callers that wait for the result of an election, and the candidacies of this node. A
 * candidacy outlives its call once there was a result: when the winner goes, the remaining
 * candidates elect the next one unasked (JEL §3.2).
 */
export class Elections {
  readonly #overlay: PoolHost
  readonly #waiters = new Map<string, Set<Waiter>>()
  /** Candidacies that had a result. An abort does not withdraw these. */
  readonly #standing = new Set<string>()

  constructor(overlay: PoolHost) {
    this.#overlay = overlay
  }

  elect(election: string, signal?: AbortSignal): Promise<Reign> {
    // First the call that may throw: nobody would hold the promise then.
    this.#overlay.elect(election)
    const result = this.#wait(election, true, signal)
    this.#settleKnown(election)
    return result
  }

  result(election: string, signal?: AbortSignal): Promise<Reign> {
    const result = this.#wait(election, false, signal)
    this.#settleKnown(election)
    return result
  }

  withdraw(election: string): void {
    this.#standing.delete(election)
    this.#overlay.withdraw(election)
    for (const waiter of this.#waiters.get(election) ?? []) {
      if (waiter.candidate) waiter.reject(new CandidacyWithdrawnError(election))
    }
  }

  /** Settles the callers that wait for this election. Called for each new reign. */
  elected(reign: Reign): void {
    for (const waiter of this.#waiters.get(reign.election) ?? []) waiter.settle(reign)
  }

  /** Settles all callers whose result is known, since announcements may have been missed. */
  settleAll(): void {
    for (const election of this.#waiters.keys()) this.#settleKnown(election)
  }

  /** Rejects all waiting callers with this error: no more results will come. */
  close(error: Error): void {
    for (const waiters of this.#waiters.values()) {
      for (const waiter of waiters) waiter.reject(error)
    }
  }

  #wait(election: string, candidate: boolean, signal?: AbortSignal): Promise<Reign> {
    const waiters = this.#waiters.get(election) ?? new Set()
    this.#waiters.set(election, waiters)
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiter.reject(signal?.reason as Error)
        if (candidate && !this.#standing.has(election) && !this.#hasCandidate(election)) this.#withdraw(election)
      }
      const end = (): void => {
        signal?.removeEventListener('abort', abort)
        waiters.delete(waiter)
        if (waiters.size === 0 && this.#waiters.get(election) === waiters) this.#waiters.delete(election)
      }
      const waiter: Waiter = {
        candidate,
        settle: (reign) => {
          end()
          if (candidate) this.#standing.add(election)
          resolve(reign)
        },
        reject: (error) => {
          end()
          reject(error)
        },
      }
      waiters.add(waiter)
      signal?.addEventListener('abort', abort)
    })
  }

  /** Withdraws for a caller that is gone. The end of a pool has ended its candidacies, too. */
  #withdraw(election: string): void {
    try {
      this.#overlay.withdraw(election)
    } catch (error) {
      if (!(error instanceof OverlayClosedError)) throw error
    }
  }

  #hasCandidate(election: string): boolean {
    return [...(this.#waiters.get(election) ?? [])].some((waiter) => waiter.candidate)
  }

  /**
   * Settles with the known reign. A reign counts only while its winner is a member; after that only
   * the next one does.
   */
  #settleKnown(election: string): void {
    const reign = this.#overlay.reign(election)
    if (reign === undefined) return
    const { id, incarnation } = reign.winner
    if (this.#overlay.members().some((member) => member.id === id && member.incarnation === incarnation)) this.elected(reign)
  }
}
