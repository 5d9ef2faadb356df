import type { Milliseconds } from '@jel/machine'
import { REPLICA_TIMEOUT } from './followers.ts'
import type { ReplicaContext } from './replica-io.ts'

/** The first instance waits this long for news of other instances, ms. A guess. */
const SETTLE: Milliseconds = 300

/**
 * Decides whether a replica is a candidate for primary. A replica with the state is a candidate. If
 * no replica has the state, the oldest instance is.
 */
export class Candidacy {
  readonly #context: ReplicaContext
  /** Whether this replica has the state, as far as it knows. */
  hasState = false
  #isStanding = false
  /** The time since which there is no primary. Undefined: there is one, or that is not known. */
  #vacantSince: Milliseconds | undefined

  constructor(context: ReplicaContext) {
    this.#context = context
  }

  /** Notes that there is no primary, as far as this member knows. */
  vacate(): void {
    this.#vacantSince ??= this.#context.now
  }

  /** Notes that there is a primary. */
  fill(): void {
    this.#vacantSince = undefined
  }

  /**
   * Makes this replica a candidate if it must be one now. Returns the time of the next review.
   * Undefined: only another input can change the answer.
   */
  review(): Milliseconds | undefined {
    const { holder, designated, instances, self, now } = this.#context
    if (this.#isStanding || !instances.includes(self)) return undefined
    if (this.hasState) {
      if (designated.includes(self) || holder?.winner === self) this.#stand()
      return undefined
    }
    if (this.#vacantSince === undefined) return undefined
    const at = this.#vacantSince + SETTLE + instances.indexOf(self) * REPLICA_TIMEOUT
    if (now < at) return at
    this.#stand()
    return undefined
  }

  withdraw(): void {
    if (this.#isStanding) this.#context.effects.push({ type: 'withdraw' })
    this.#isStanding = false
  }

  #stand(): void {
    this.#isStanding = true
    this.#context.effects.push({ type: 'stand' })
  }
}
