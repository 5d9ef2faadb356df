import type { Proposal } from '../core/messages.ts'
import { ElectionsFullError } from '@jel/overlay'
import { MAX_ELECTIONS } from '../fold/elections.ts'
import { encode } from '../fold/bodies.ts'
import type { Life } from '../fold/events.ts'

/**
 * Proposes an entry. Resolves when this member has applied the entry. If `entry` returns undefined,
 * there is nothing to propose any more, and the call resolves at once.
 */
export type Propose = (entry: () => Proposal | undefined) => Promise<void>

/** The candidacies of this member. They outlive a life: the next life stands again. */
export class Candidacies {
  readonly #life: () => Life | undefined
  readonly #propose: Propose
  readonly #standing = new Set<string>()
  /** The candidacies of the present life that are proposed, or in the ledger. */
  readonly #proposed = new Map<string, { readonly incarnation: number; readonly done: Promise<void> }>()
  /** Withdrawals that are not in the ledger yet, with the number of the candidacy. */
  readonly #withdrawing = new Map<string, number>()
  /** Elections in which some life of this process has stood. */
  readonly #stood = new Set<string>()
  /** The number of the last candidacy, of all elections together. */
  #sequence = 0

  constructor(life: () => Life | undefined, propose: Propose) {
    this.#life = life
    this.#propose = propose
  }

  /** Resolves when the candidacy is in the ledger. */
  async stand(election: string): Promise<void> {
    if (!this.#stood.has(election) && this.#stood.size >= MAX_ELECTIONS)
      throw new ElectionsFullError(`this node has stood in ${MAX_ELECTIONS} elections, as many as it may`)
    this.#stood.add(election)
    this.#standing.add(election)
    await this.#stand(election)
  }

  /** Resolves when the withdrawal is in the ledger. */
  async withdraw(election: string): Promise<void> {
    this.#standing.delete(election)
    this.#proposed.delete(election)
    this.#withdrawing.set(election, this.#sequence)
    await this.#withdraw(election, this.#sequence)
  }

  /**
   * Proposes all candidacies and withdrawals again. Call it after a join of this member, and after
   * the install of a snapshot.
   */
  resume(): void {
    this.#proposed.clear()
    for (const [election, sequence] of this.#withdrawing) void this.#withdraw(election, sequence).catch(() => {})
    for (const election of this.#standing) void this.#stand(election).catch(() => {})
  }

  async #withdraw(election: string, sequence: number): Promise<void> {
    const life = this.#life()
    // A life that has ended has no candidacies.
    if (life !== undefined) await this.#propose(() => encode('withdraw', { ...lifeOf(life), election, sequence }))
    if (this.#withdrawing.get(election) === sequence) this.#withdrawing.delete(election)
  }

  async #stand(election: string): Promise<void> {
    const life = this.#life()
    if (life === undefined) return
    const { incarnation } = life
    const known = this.#proposed.get(election)
    if (known?.incarnation === incarnation) {
      await known.done
      return
    }
    const sequence = ++this.#sequence
    const done = this.#propose(() => encode('stand', { ...lifeOf(life), election, sequence }))
    this.#proposed.set(election, { incarnation, done })
    try {
      await done
    } catch (error) {
      if (this.#proposed.get(election)?.done === done) this.#proposed.delete(election)
      throw error
    }
  }
}

/** Returns a life without other fields, which the schema of an entry refuses. */
export function lifeOf({ id, incarnation }: Life): Life {
  return { id, incarnation }
}
