import type { MemberId } from './ids.ts'
import type { Path } from './path.ts'

/** Maximum number of names of each kind for one task. A task fails long before it has more. */
export const MAX_TRIES = 16

/**
 * The crashes and lost holders of a task. A member reports its own crashed containers. A member
 * that died with the task can't report that. So each member announces a task that may be deadly
 * before the task begins.
 */
export interface Tries {
  /** Members at which the task ended a container, once for each time. */
  readonly crashes: readonly MemberId[]
  /**
   * The first lost holder, and the members that began the task after that. A member of this list
   * that is gone counts as lost while it held the task.
   */
  readonly holders: readonly MemberId[]
}

/** The tries of a task, by its path. Replicas receive them before the task begins again. */
export interface Tried extends Tries {
  readonly path: Path
}

/**
 * A task that ended this many containers, at two members or more, is set apart (see `poisonOf`). If
 * it ended this many at one member, that member leaves the task to others. A guess.
 */
export const MOST_CRASHES = 3

export const NO_TRIES: Tries = { crashes: [], holders: [] }

export function crashedAt({ crashes, holders }: Tries, member: MemberId): Tries {
  return { crashes: [...crashes, member].slice(-MAX_TRIES), holders }
}

export function heldBy({ crashes, holders }: Tries, member: MemberId): Tries {
  return { crashes, holders: [...holders.filter((id) => id !== member), member].slice(-MAX_TRIES) }
}

/** Returns how many containers a task ended at one member. */
export function crashesAt(tries: Tries | undefined, member: MemberId): number {
  return tries === undefined ? 0 : countIn(tries.crashes, member)
}

/** Joins two reports of the tries of one task. */
export function joinTries(left: Tries, right: Tries): Tries {
  if (left === right || isNone(right)) return left
  if (isNone(left)) return right
  const crashes: MemberId[] = []
  for (const member of new Set([...left.crashes, ...right.crashes])) {
    const times = Math.max(countIn(left.crashes, member), countIn(right.crashes, member))
    for (let time = 0; time < times; time++) crashes.push(member)
  }
  return { crashes: crashes.slice(-MAX_TRIES), holders: [...new Set([...left.holders, ...right.holders])].slice(-MAX_TRIES) }
}

export function isNone({ crashes, holders }: Tries): boolean {
  return crashes.length === 0 && holders.length === 0
}

function countIn(members: readonly MemberId[], member: MemberId): number {
  return members.reduce((count, id) => count + Number(id === member), 0)
}

export function triedOf({ path, tries = NO_TRIES }: { readonly path: Path; readonly tries?: Tries | undefined }): Tried {
  return { path, ...tries }
}
