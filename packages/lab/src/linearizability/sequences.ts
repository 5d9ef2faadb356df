/**
 * Sequences of events that members received, each with its place in one log. They must be parts of
 * one sequence: a member must have each event in its range that another member has.
 */

/** An event at its place in the log. */
export interface Placed {
  readonly index: number
  readonly content: string
}

export interface Sequence {
  readonly member: string
  /** In the order of arrival. */
  readonly events: readonly Placed[]
  /** The member listens from this index on. Default: from its first event on. */
  readonly since?: number
  /** The member was told of everything up to this index. Default: up to its last event. */
  readonly until?: number
}

/** Returns the first and the last index of which the member must have been told. */
function rangeOf({ events, since, until }: Sequence): { readonly since: number; readonly until: number } {
  return { since: since ?? events[0]?.index ?? Infinity, until: until ?? events.at(-1)?.index ?? -Infinity }
}

/** A fault of a history. */
export interface Problem {
  /** `different`: one place has two contents. `unexplained`: it fits no order of the calls. */
  readonly kind: 'different' | 'lacking' | 'late' | 'lost' | 'twice' | 'unexplained'
  /** In words. */
  readonly text: string
  /** The number of entries. Default: 1. */
  readonly count?: number
}

/** The contents of a log by their index, as far as any member was told. */
export type Log = ReadonlyMap<number, string>

/** Returns what is wrong, and the log that the sequences are parts of. */
export function joinSequences(sequences: readonly Sequence[]): { readonly problems: readonly Problem[]; readonly log: Log } {
  const log = new Map<number, { readonly content: string; readonly member: string }>()
  const problems: Problem[] = []
  for (const { member, events } of sequences) {
    let last = -Infinity
    for (const { index, content } of events) {
      if (index <= last) problems.push({ kind: 'late', text: `${member} was told of ${index} after ${last}` })
      last = index
      const known = log.get(index)
      if (known === undefined) log.set(index, { content, member })
      else if (known.content !== content)
        problems.push({ kind: 'different', text: `${index} is ${content} at ${member}, and ${known.content} at ${known.member}` })
    }
  }
  const indexes = [...log.keys()].toSorted((a, b) => a - b)
  for (const sequence of sequences) {
    const { member, events } = sequence
    const { since, until } = rangeOf(sequence)
    const own = new Set(events.map(({ index }) => index))
    const missing = indexes.filter((index) => index >= since && index <= until && !own.has(index))
    const [first] = missing
    if (first !== undefined)
      problems.push({
        kind: 'lacking',
        text: `${member} lacks ${missing.length} of ${since} to ${until}, first ${first}, which ${log.get(first)?.member} was told of`,
        count: missing.length,
      })
  }
  return { problems, log: new Map(indexes.map((index) => [index, log.get(index)?.content ?? ''])) }
}

/** If nobody was told of this index, returns a member that must have been told. */
export function unaware(index: number, log: Log, sequences: readonly Sequence[]): string | undefined {
  if (log.has(index)) return undefined
  return sequences.find((sequence) => index >= rangeOf(sequence).since && index <= rangeOf(sequence).until)?.member
}
