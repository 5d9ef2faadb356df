/** The events that one process was told of, each with its place in the ledger. */
import { contentOf, reignIn, type LedgerLine } from '../swarm/ledger-lines.ts'
import type { Placed, Sequence } from './sequences.ts'

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
  /** It was told of all messages and reigns in this range. Default: from its first to its last. */
  range: { readonly since: number; readonly until: number } | undefined
  /** Entries of which it was told after an entry with a higher index. */
  late = 0
  #previous = 0

  note(line: LedgerLine): void {
    const { event, re, index, election = '', code } = line
    // An answer to a command is no event.
    if (re !== undefined) return
    // A member that fell far behind goes on after a gap, and says so.
    if (event === 'error' && code === 'LEDGER_GAP') this.#stretches.push(new Stretch())
    if (event === 'ordered' && index !== undefined) {
      this.#last.ordered.push({ index, content: contentOf(line) })
      this.#arrives(index)
    }
    const reign = event === 'elected' ? reignIn(line) : undefined
    if (reign === undefined) return
    const { elected } = this.#last
    const all = elected.get(election) ?? []
    all.push({ index: reign.epoch, content: reign.winner })
    elected.set(election, all)
    this.#arrives(reign.epoch)
  }

  get gaps(): number {
    return this.#stretches.length - 1
  }

  /** The index of the last ordered message. */
  get end(): number {
    return this.#last.ordered.at(-1)?.index ?? 0
  }

  /** The names of the elections. */
  get elections(): string[] {
    return this.#stretches.flatMap(({ elected }) => [...elected.keys()])
  }

  orderedBy(member: string): Sequence[] {
    return this.#sequences(member, ({ ordered }) => ordered, this.until)
  }

  electedBy(member: string, election: string): Sequence[] {
    return this.#sequences(member, ({ elected }) => elected.get(election) ?? [])
  }

  #sequences(member: string, eventsOf: (stretch: Stretch) => readonly Placed[], until?: number): Sequence[] {
    return this.#stretches.map((each, at) => ({
      member: `${member} after ${at} gaps`,
      events: eventsOf(each),
      ...(until !== undefined && each === this.#last && { until }),
      ...this.range,
    }))
  }

  #arrives(index: number): void {
    if (index < this.#previous) this.late++
    this.#previous = index
  }

  get #last(): Stretch {
    return this.#stretches.at(-1) as Stretch
  }
}
