/** All that the clients of a run asked and were told. */
import type { ElectionInput, ElectionOperation, Reign, Sighting } from './elections.ts'
import type { OrderOperation } from './orders.ts'

export type Outcome = 'acknowledged' | 'refused' | 'unknown'

export class History {
  readonly elections: ElectionOperation[] = []
  /** Reigns that members were told of, in events and by `elect`. */
  readonly sightings: Sighting[] = []
  readonly orders: OrderOperation[] = []
  /** Messages whose senders were told that they have no effect. */
  readonly refused = new Set<string>()
  readonly counts: Record<Outcome, number> = { acknowledged: 0, refused: 0, unknown: 0 }
  /** Times of acknowledgements, in their order. */
  readonly acknowledgements: number[] = []
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Records the call of an election. The returned function takes its outcome. */
  election(input: ElectionInput): (outcome: Outcome, reign?: Reign) => void {
    const operation = { input, called: this.#now() } as { -readonly [Name in keyof ElectionOperation]: ElectionOperation[Name] }
    this.elections.push(operation)
    return (outcome, reign) => {
      this.#count(outcome)
      if (outcome === 'refused') this.elections.splice(this.elections.indexOf(operation), 1)
      // A withdrawal is taken at once, and has its effect when the ledger has it.
      if (outcome !== 'acknowledged' || input.type === 'withdraw') return
      operation.returned = this.#now()
      // The first result that a candidate hears of may be one of the past.
      if (input.type === 'confirm') operation.output = { reign }
      else if (reign !== undefined) this.sight(input.election, reign)
    }
  }

  /** Records that a member knows of a reign. */
  sight(election: string, reign: Reign): void {
    this.sightings.push({ election, reign, at: this.#now() })
  }

  /** Records the call of an ordered message. */
  order(payload: string): (outcome: Outcome, index?: number) => void {
    const operation = { input: payload, called: this.#now() } as { -readonly [Name in keyof OrderOperation]: OrderOperation[Name] }
    this.orders.push(operation)
    return (outcome, index) => {
      this.#count(outcome)
      if (outcome === 'refused') this.refused.add(payload)
      if (outcome !== 'acknowledged' || index === undefined) return
      operation.returned = this.#now()
      operation.output = index
    }
  }

  /**
   * A member's former life, under the same id, ended at or after `since`: the ledger has the
   * present life. So the candidacies of the former life have ended, too.
   */
  ended(by: string, elections: Iterable<string>, since: number): void {
    for (const election of elections)
      this.elections.push({
        input: { type: 'withdraw', election, by },
        called: since,
        returned: this.#now(),
        output: { reign: undefined },
      })
  }

  /** Longest time without an acknowledgement between two moments, ms. */
  pause(from: number, to: number): number {
    return longestPause(this.acknowledgements, from, to)
  }

  #count(outcome: Outcome): void {
    this.counts[outcome]++
    if (outcome === 'acknowledged') this.acknowledgements.push(this.#now())
  }
}

/**
 * The longest time between two of these times, or from `from` to the first, or from the last to
 * `to`.
 */
export function longestPause(times: readonly number[], from: number, to: number): number {
  const inside = times.filter((time) => time > from && time < to).toSorted((a, b) => a - b)
  return Math.max(...[...inside, to].map((time, at) => time - (inside[at - 1] ?? from)))
}
