import type { Milliseconds } from '@jel/protocol'
import type { PathEnd } from './reachability.ts'

/** An interruption counts for this long after its end, ms. Its effects show within that time. */
export const window: Milliseconds = 30_000

/**
 * A path or node works if its interruptions within a window are shorter than this in all, ms. TCP
 * sends again, and nobody suspects a member. A guess: members notice a second of silence.
 */
const brief: Milliseconds = 1_000

/** The beginning and end of an interruption. `to` is infinite while the interruption lasts. */
interface Interruption {
  readonly from: Milliseconds
  to: Milliseconds
}

/**
 * The sides of a partition, by number of the endpoint, from a time on. Endpoints without an entry
 * are on side 0.
 */
interface Split {
  readonly at: Milliseconds
  readonly sides: readonly number[]
}

/**
 * Records which nodes could communicate. Only a testbed knows this. Two nodes are in two-way
 * contact during a window if both ran, packets got through both ways, and one could dial the other.
 * All interruptions together must be shorter than a second.
 */
export class Contact {
  /** The times in which nodes did not run or had no network. */
  readonly #nodes = new Map<number, Interruption[]>()
  /** The interruptions of one-way paths. */
  readonly #paths = new Map<number, Interruption[]>()
  /** The time of the last repair of paths or sides. */
  mendedAt: Milliseconds = -Infinity
  /**
   * Partitions, oldest first. The list keeps the partition in effect at the start of the window.
   */
  readonly #splits: Split[] = []

  /** Records whether the node runs and has a network. A repeated state changes nothing. */
  node(endpoint: PathEnd, works: boolean, now: Milliseconds): void {
    note(this.#nodes, endpoint.index, works, now)
  }

  /** Records whether packets get from one node to the other. */
  path(from: PathEnd, to: PathEnd, works: boolean, now: Milliseconds): void {
    note(this.#paths, pathKey(from, to), works, now)
  }

  /** Ends the interruptions of all paths. */
  mended(now: Milliseconds): void {
    this.mendedAt = now
    for (const list of this.#paths.values()) end(list, now)
  }

  split(endpoints: readonly PathEnd[], now: Milliseconds): void {
    const sides: number[] = []
    for (const { index, side } of endpoints) sides[index] = side
    this.#splits.push({ at: now, sides })
    while ((this.#splits[1]?.at ?? Infinity) < now - window) this.#splits.shift()
  }

  /** Returns true if the two nodes were in two-way contact between these times. */
  joined(a: PathEnd, b: PathEnd, from: Milliseconds, to: Milliseconds): boolean {
    const own = [...(this.#nodes.get(a.index) ?? []), ...(this.#nodes.get(b.index) ?? [])]
    return this.#isOpen(a, b, from, to, own)
  }

  /**
   * Returns true if the network carried packets both ways between the two nodes, whatever the nodes
   * did.
   */
  isPathOpen(a: PathEnd, b: PathEnd, from: Milliseconds, to: Milliseconds): boolean {
    return this.#isOpen(a, b, from, to, [])
  }

  #isOpen(a: PathEnd, b: PathEnd, from: Milliseconds, to: Milliseconds, others: readonly Interruption[]): boolean {
    if (!a.dialableFrom(b) && !b.dialableFrom(a)) return false
    const out: Interruption[] = []
    const add = (list: readonly Interruption[] | undefined): void => {
      for (const each of list ?? []) if (each.from < to && each.to > from) out.push(each)
    }
    add(others)
    if (this.#paths.size > 0) {
      add(this.#paths.get(pathKey(a, b)))
      add(this.#paths.get(pathKey(b, a)))
    }
    for (const [i, { at, sides }] of this.#splits.entries()) {
      if ((sides[a.index] ?? 0) !== (sides[b.index] ?? 0)) add([{ from: at, to: this.#splits[i + 1]?.at ?? Infinity }])
    }
    return areBrief(out, from, to)
  }

  /** Returns true if the node ran and had a network between these times. */
  works(endpoint: PathEnd, from: Milliseconds, to: Milliseconds): boolean {
    const out = this.#nodes.get(endpoint.index)?.filter((each) => each.from < to && each.to > from) ?? []
    return areBrief(out, from, to)
  }

  /**
   * Returns true if nothing has interrupted the node's process or any of its paths since one window
   * before `since`.
   */
  steady(endpoint: PathEnd, since: Milliseconds): boolean {
    const from = since - window
    const quiet = (list: readonly Interruption[] | undefined): boolean => list?.every(({ to }) => to <= from) ?? true
    if (!quiet(this.#nodes.get(endpoint.index))) return false
    for (const [key, list] of this.#paths) {
      if ((key % pathBase === endpoint.index || Math.floor(key / pathBase) === endpoint.index) && !quiet(list)) return false
    }
    return this.#splits.every(({ sides }, i) => sides.every((side) => side === 0) || (this.#splits[i + 1]?.at ?? Infinity) <= from)
  }
}

const pathBase = 2 ** 24

function pathKey(from: PathEnd, to: PathEnd): number {
  return from.index * pathBase + to.index
}

function note(lists: Map<number, Interruption[]>, key: number, works: boolean, now: Milliseconds): void {
  const list = lists.get(key)
  if (works) {
    if (list !== undefined) end(list, now)
    return
  }
  const open = list?.at(-1)
  if (open?.to === Infinity) return
  const next = { from: now, to: Infinity }
  if (list === undefined) lists.set(key, [next])
  else list.push(next)
}

function end(list: Interruption[], now: Milliseconds): void {
  const open = list.at(-1)
  if (open?.to === Infinity) open.to = now
  while ((list[0]?.to ?? Infinity) < now - window) list.shift()
}

/**
 * The window of a young observer is short. Interruptions that fill a short window are not brief.
 */
function areBrief(interruptions: Interruption[], from: Milliseconds, to: Milliseconds): boolean {
  return interruptions.length === 0 || total(interruptions, from, to) < Math.min(brief, to - from)
}

/** Returns the time within these bounds in which at least one interruption lasted. */
function total(interruptions: Interruption[], from: Milliseconds, to: Milliseconds): Milliseconds {
  let sum = 0
  let counted = from
  for (const each of interruptions.sort((a, b) => a.from - b.from)) {
    const start = Math.max(each.from, counted)
    const stop = Math.min(each.to, to)
    if (stop <= start) continue
    sum += stop - start
    counted = stop
  }
  return sum
}
