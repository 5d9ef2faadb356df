import type { LedgerEvent, Life } from './events.ts'

/**
 * Maximum number of elections in which one life may stand or have stood. A guess: the state of each
 * takes 100 bytes.
 */
export const MAX_ELECTIONS = 256

/** A candidate keeps its place in the order of the log until it withdraws, or its life ends. */
interface Candidate extends Life {
  readonly sequence: number
  readonly isStanding: boolean
}

interface Reign {
  readonly winner: Life
  readonly epoch: number
}

/** One election, as a snapshot stores it. */
interface SavedElection {
  readonly name: string
  readonly candidates: readonly Candidate[]
  readonly reign?: Reign | undefined
}

/**
 * The elections of a pool. The first candidate in the order of the log reigns. When its reign ends,
 * the next one reigns in the same step.
 */
export class Elections {
  /** Candidates by election and by id, in the order of the log. */
  readonly #candidates = new Map<string, Map<string, Candidate>>()
  readonly #reigns = new Map<string, Reign>()

  reignOf(election: string): Reign | undefined {
    return this.#reigns.get(election)
  }

  get reigns(): { readonly election: string; readonly winner: Life; readonly epoch: number }[] {
    return [...this.#reigns].map(([election, reign]) => ({ election, ...reign }))
  }

  /**
   * Adds a candidacy. A candidacy that is not newer than the last one of its life changes nothing.
   */
  stand(election: string, { id, incarnation }: Life, sequence: number, index: number): LedgerEvent[] {
    const candidates = this.#candidates.get(election) ?? new Map<string, Candidate>()
    const known = candidates.get(id)
    if (known !== undefined && sequence <= known.sequence) return []
    this.#candidates.set(election, candidates)
    if (known === undefined && this.#countOf(id) >= MAX_ELECTIONS) return []
    // A life that stands already keeps its place.
    if (known?.isStanding !== true) candidates.delete(id)
    candidates.set(id, { id, incarnation, sequence, isStanding: true })
    return this.#fill(election, index)
  }

  #countOf(id: string): number {
    return [...this.#candidates.values()].filter((candidates) => candidates.has(id)).length
  }

  /** Ends the candidacy with this number, or an earlier one. */
  withdraw(election: string, { id, incarnation }: Life, sequence: number, index: number): LedgerEvent[] {
    const candidates = this.#candidates.get(election) ?? new Map<string, Candidate>()
    const known = candidates.get(id)
    if (known !== undefined && (sequence < known.sequence || !known.isStanding)) return []
    if (known === undefined && this.#countOf(id) >= MAX_ELECTIONS) return []
    this.#candidates.set(election, candidates)
    candidates.set(id, { id, incarnation, sequence, isStanding: false })
    return this.#end(election, id, index)
  }

  /** Ends the candidacies and reigns of a life that has ended. */
  gone(id: string, index: number): LedgerEvent[] {
    const events: LedgerEvent[] = []
    for (const [election, candidates] of this.#candidates) {
      if (!candidates.delete(id)) continue
      events.push(...this.#end(election, id, index))
      if (candidates.size === 0) this.#candidates.delete(election)
    }
    return events
  }

  renew(epoch: number): void {
    for (const [election, { winner }] of this.#reigns) this.#reigns.set(election, { winner, epoch })
  }

  save(): SavedElection[] {
    return [...this.#candidates].map(([name, candidates]) => ({
      name,
      candidates: [...candidates.values()],
      reign: this.#reigns.get(name),
    }))
  }

  load(saved: readonly SavedElection[]): void {
    for (const { name, candidates, reign } of saved) {
      this.#candidates.set(name, new Map(candidates.map((candidate) => [candidate.id, candidate])))
      if (reign !== undefined) this.#reigns.set(name, reign)
    }
  }

  #end(election: string, id: string, index: number): LedgerEvent[] {
    if (this.#reigns.get(election)?.winner.id !== id) return []
    this.#reigns.delete(election)
    const elected = this.#fill(election, index)
    return elected.length > 0 ? elected : [{ type: 'vacant', index, election }]
  }

  #fill(election: string, index: number): LedgerEvent[] {
    if (this.#reigns.has(election)) return []
    const first = [...(this.#candidates.get(election)?.values() ?? [])].find(({ isStanding }) => isStanding)
    if (first === undefined) return []
    const winner = { id: first.id, incarnation: first.incarnation }
    this.#reigns.set(election, { winner, epoch: index })
    return [{ type: 'elected', index, election, winner, epoch: index }]
  }
}
