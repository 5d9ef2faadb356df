/** The events that one process was told of, each with its place in the ledger. */
import type { Placed, Sequence } from '../linearizability/sequences.ts'
import { contentOf, reignIn, type LedgerLine } from './lines.ts'

/** Events without a gap. */
class Stretch {
  readonly ordered: Placed[] = []
  /** By name of the election. */
  readonly elected = new Map<string, Placed[]>()
}

export class Told {
  readonly #stretches = [new Stretch()]
  /** The process was told of all ordered messages up to this index. */
  until: number | undefined

  note(line: LedgerLine): void {
    const { event, re, index, election = '', code } = line
    // An answer to a command is no event.
    if (re !== undefined) return
    // A member that fell far behind goes on after a gap, and says so.
    if (event === 'error' && code === 'LEDGER_GAP') this.#stretches.push(new Stretch())
    if (event === 'ordered' && index !== undefined) this.#last.ordered.push({ index, content: contentOf(line) })
    const reign = event === 'elected' ? reignIn(line) : undefined
    if (reign === undefined) return
    const { elected } = this.#last
    const all = elected.get(election) ?? []
    all.push({ index: reign.epoch, content: reign.winner })
    elected.set(election, all)
  }

  get gaps(): number {
    return this.#stretches.length - 1
  }

  /** The index of the last ordered message. */
  get end(): number {
    return this.#last.ordered.at(-1)?.index ?? 0
  }

  orderedBy(member: string): Sequence[] {
    return this.#stretches.map((each, at) => ({
      member: `${member} after ${at} gaps`,
      events: each.ordered,
      ...(this.until !== undefined && each === this.#last && { until: this.until }),
    }))
  }

  /** The sequences of each election. */
  electedBy(member: string): (readonly [election: string, Sequence])[] {
    return this.#stretches.flatMap(({ elected }, at) =>
      [...elected].map(([election, events]) => [election, { member: `${member} after ${at} gaps`, events }] as const),
    )
  }

  get #last(): Stretch {
    return this.#stretches.at(-1) as Stretch
  }
}
