/** The order of the faults of a run, by its seed. */
import { createRandom } from '@jel/protocol'

/** The kinds of faults, each with what it does. */
export const KINDS = {
  kill: 'SIGKILL of a member, which starts again with its identity file',
  'kill the leader': 'SIGKILL of the leader',
  'kill 30 %': 'SIGKILL of 30 % of the members at once',
  'kill all': 'SIGKILL of all members at once',
  stop: 'SIGSTOP of a member for 20 s',
  halves: 'a cut between two halves',
  ring: 'a cut after which each member reaches its neighbours on a ring',
  'one way': 'a cut in one direction between two halves',
  'leader alone': 'a cut between the leader and all others',
  slow: 'delay and loss between some members and the others',
  deleted: 'a member starts again without its ledger file',
  torn: 'a member starts again with half a record at the end of its ledger file',
  corrupt: 'a member starts again with a changed byte in its ledger file',
  'read-only': 'a member starts again with a ledger file that it may not write',
  'full disk': 'the disk of a running member is full',
  clock: 'the clock of a member jumps by an hour',
} as const
export type Kind = keyof typeof KINDS
export const kinds = Object.keys(KINDS) as Kind[]

/** One fault of a run. */
export interface Planned {
  readonly kind: Kind
  /** How long it lasts, ms, if it does not have a time of its own. */
  readonly lasts: number
  /** Draws the victims. */
  readonly random: () => number
}

/**
 * Yields faults without an end. Each kind comes once in a round, so all come equally often.
 * `lasts`: the least and the most time of a fault, ms.
 */
export function* schedule(seed: number, chosen: readonly Kind[], [least, most]: readonly [number, number]): Generator<Planned, never> {
  const random = createRandom(seed)
  for (;;) {
    for (const kind of shuffled(chosen, random)) yield { kind, lasts: least + (most - least) * random(), random }
  }
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
