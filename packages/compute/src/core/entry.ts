import type { MemberId } from './ids.ts'
import type { Path } from './path.ts'
import { compareBytes, NOTHING_SHARED, sameShared, type Shared } from './shared-value.ts'

/** Maximum characters of a failed task's input, and of the cause of an error. A guess. */
export const MAX_SHOWN = 500

/**
 * The reason why a task has no value. A failure is an outcome too: a function that throws for an
 * input throws everywhere.
 */
export interface TaskFailure {
  /** Stable and in capitals, for example `TASK_THREW`. */
  readonly code: string
  readonly message: string
  /** The program's stack at the throw. */
  readonly stack?: string
  /** The member at which the task failed. */
  readonly member: string
  /** Number of tries. */
  readonly tries: number
  /** The path of the task; '' is the root. Undefined: no single task failed. */
  readonly task?: Path
  /** The function of the task. */
  readonly fn?: string
  /** The beginning of the task's input, as text. */
  readonly input?: string
  /** The causes of the error, as text: its `cause`, the cause of that, and so on. */
  readonly cause?: string
}

export type Outcome = { readonly value: Uint8Array } | { readonly failure: TaskFailure }

/** A member's statement that a task has this outcome. */
export interface Vote {
  readonly by: MemberId
  /**
   * Covers job, path, outcome, and the shared values given and offered, so that anybody may pass
   * the vote on.
   */
  readonly signature: Uint8Array
  /**
   * The task spawned no other task there. So its outcome depends only on its input and the given
   * shared values.
   */
  readonly leaf: boolean
}

/**
 * An entry of a job's result table: the outcome of a task. It replaces the entries of all tasks
 * below this task.
 */
export interface Entry {
  readonly path: Path
  readonly outcome: Outcome
  /**
   * The join of all shared values that the task, or a task below it, read or offered. A bound that
   * pruned other tasks must not be lost with the member that found it.
   */
  readonly shared: Shared
  /**
   * Set if the job is voted on: the shared values that the task began with. Other members must
   * begin with the same values to vote for the same outcome.
   */
  readonly given?: Shared
  /** Set if the job is voted on: the votes for this entry. */
  readonly votes?: readonly Vote[]
}

/** A task: a function of the job's program, and its encoded input. */
export interface Task {
  readonly path: Path
  readonly fn: string
  readonly input: Uint8Array
  /** Its index among siblings with the same function and input. Default: 0. */
  readonly occurrence?: number
}

/**
 * Returns the entry to keep of two entries for one path. All members keep the same entry: a value
 * before a failure, then the value with the smaller bytes, or the failure whose words come first.
 */
export function standing(left: Entry, right: Entry): Entry {
  if ('failure' in left.outcome) {
    if (!('failure' in right.outcome)) return right
    return wordsOf(left.outcome.failure) <= wordsOf(right.outcome.failure) ? left : right
  }
  if ('failure' in right.outcome) return left
  return compareBytes(left.outcome.value, right.outcome.value) <= 0 ? left : right
}

function wordsOf({ code, message, member, tries, stack = '' }: TaskFailure): string {
  return JSON.stringify([code, message, member, tries, stack])
}

export function sameOutcome(left: Entry, right: Entry): boolean {
  if ('failure' in left.outcome || 'failure' in right.outcome) return 'failure' in left.outcome && 'failure' in right.outcome
  return compareBytes(left.outcome.value, right.outcome.value) === 0
}

/** Whether the task began with the same shared values in both entries. */
export function sameGiven({ given: left = NOTHING_SHARED }: Entry, { given: right = NOTHING_SHARED }: Entry): boolean {
  return sameShared(left, right)
}

/**
 * Returns the voters for `other` that must be dishonest if the voters for `known` are honest.
 * Different shared values may prune the tasks below differently. Then the voters for both may be
 * honest.
 */
export function liars(other: Entry, known: Entry): MemberId[] {
  if (!sameGiven(other, known) || sameVote(other, known)) return []
  const isFree = [other, known].every(({ given, shared }) => given === undefined && shared.size === 0)
  const isLeaf = known.votes?.some(({ leaf }) => leaf) === true
  return (other.votes ?? []).filter(({ leaf }) => isFree || (leaf && isLeaf)).map(({ by }) => by)
}

/** Whether a vote for one entry is also a vote for the other entry. */
export function sameVote(left: Entry, right: Entry): boolean {
  return sameGiven(left, right) && sameOutcome(left, right) && ('failure' in left.outcome || sameShared(left.shared, right.shared))
}

/** Returns the bytes that an entry adds to a job's result table. The table may have 64 MiB. */
export function entryBytes({ path, outcome, shared, given = NOTHING_SHARED }: Entry): number {
  let bytes =
    path.length + ('value' in outcome ? outcome.value.length : outcome.failure.message.length + (outcome.failure.stack?.length ?? 0))
  for (const { values } of [...shared.values(), ...given.values()]) for (const value of values) bytes += value.length
  return bytes
}
