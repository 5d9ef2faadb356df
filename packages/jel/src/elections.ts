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
 * The callers that wait for the result of an election, and which candidacies they stand for. A candidacy outlives the
 * call once there was a result: when the winner goes, the remaining candidates elect anew without being asked (JEL §3.2).
 */
export class Elections {
  readonly #overlay: PoolHost
  readonly #waiters = new Map<string, Set<Waiter>>()
  /** Candidacies that had a result: an abort does not withdraw these. */
  readonly #standing = new Set<string>()

  constructor(overlay: PoolHost) {
    this.#overlay = overlay
  }

  elect(election: string, signal?: AbortSignal): Promise<Reign> {
    // First what may throw: nobody would hold the promise then.
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

  /** A new reign was announced. */
  elected(reign: Reign): void {
    for (const waiter of this.#waiters.get(reign.election) ?? []) waiter.settle(reign)
  }

  /** Announcements may have been missed. */
  settleAll(): void {
    for (const election of this.#waiters.keys()) this.#settleKnown(election)
  }

  /** No more results: everybody who waits gets this error. */
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

  /** For a caller that is gone: with a pool that has ended, candidacies have ended, too. */
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

  /** A reign counts as long as its winner is there; after that only the next one does. */
  #settleKnown(election: string): void {
    const reign = this.#overlay.reign(election)
    if (reign === undefined) return
    const { id, incarnation } = reign.winner
    if (this.#overlay.members().some((member) => member.id === id && member.incarnation === incarnation)) this.elected(reign)
  }
}
