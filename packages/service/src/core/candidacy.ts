import type { Milliseconds } from '@jel/machine'
import { REPLICA_TIMEOUT } from './followers.ts'
import type { ReplicaContext } from './replica-io.ts'

/** The first instance waits this long for the pool's view before it begins, ms. A guess. */
const SETTLE: Milliseconds = 300

/**
 * Whether a replica stands in the election: once it has the state. If nobody has it, the oldest
 * instance begins.
 */
export class Candidacy {
  readonly #context: ReplicaContext
  /** This replica has the state, as far as it knows. */
  hasState = false
  #isStanding = false
  /** Since when there is no primary. Undefined: there is one, or there is no view yet. */
  #vacantSince: Milliseconds | undefined

  constructor(context: ReplicaContext) {
    this.#context = context
  }

  /** There is no primary, as far as the pool's view tells. */
  vacate(): void {
    this.#vacantSince ??= this.#context.now
  }

  /** There is a primary. */
  fill(): void {
    this.#vacantSince = undefined
  }

  /** Stands if it is time. Returns when it may be time; undefined: another event will tell. */
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
