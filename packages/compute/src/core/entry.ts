import type { MemberId } from './io.ts'
import type { Path } from './path.ts'
import { compareBytes, NOTHING_SHARED, sameShared, type Shared } from './shared-value.ts'

/** Why a task has no value. It is an outcome as well: a function that throws for an input throws everywhere. */
interface TaskFailure {
  /** Stable and in capitals, as `TASK_THREW`. */
  readonly code: string
  readonly message: string
  /** Of the program, where it threw. */
  readonly stack?: string
  /** Where it happened. */
  readonly member: string
  /** How often it was tried. */
  readonly tries: number
}

export type Outcome = { readonly value: Uint8Array } | { readonly failure: TaskFailure }

/** A member's word that a task has this outcome. */
export interface Vote {
  readonly by: MemberId
  /** Over job, path, outcome, and shared values given and offered, so that anybody may pass it on. */
  readonly signature: Uint8Array
  /** The task called for no other one there: what it gave follows from its input and what it was given, and from nothing else. */
  readonly leaf: boolean
}

/** One element of a job's coverage: what a task gave. It stands for everything below it. */
export interface Entry {
  readonly path: Path
  readonly outcome: Outcome
  /** The join of all shared values that it, or a task below it, read or offered: a bound that pruned others must not be lost with its finder. */
  readonly shared: Shared
  /** Of a job that is voted on: the shared values that the task began with, and that others must begin with to vote for the same. */
  readonly given?: Shared
  /** Of a job that is voted on: who says so. */
  readonly votes?: readonly Vote[]
}

/** What a task is: a function of the job's program, and its encoded input. */
export interface Task {
  readonly path: Path
  readonly fn: string
  readonly input: Uint8Array
}

/** Which of two entries for one path stands, everywhere the same: a value before a failure, the smaller bytes, the failure whose words come first. */
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

/** Whether two entries for one path say the same of what the task began with. */
export function sameGiven({ given: left = NOTHING_SHARED }: Entry, { given: right = NOTHING_SHARED }: Entry): boolean {
  return sameShared(left, right)
}

/**
 * Which members' votes for an outcome honest ones can't have given besides the other outcome. Shared values may prune what is below a task differently, so that of two outcomes of it neither
 * need be a lie.
 */
export function liars(other: Entry, known: Entry): MemberId[] {
  if (!sameGiven(other, known) || sameVote(other, known)) return []
  const isFree = [other, known].every(({ given, shared }) => given === undefined && shared.size === 0)
  const isLeaf = known.votes?.some(({ leaf }) => leaf) === true
  return (other.votes ?? []).filter(({ leaf }) => isFree || (leaf && isLeaf)).map(({ by }) => by)
}

/** Whether a vote for the one is a vote for the other. */
export function sameVote(left: Entry, right: Entry): boolean {
  return sameGiven(left, right) && sameOutcome(left, right) && ('failure' in left.outcome || sameShared(left.shared, right.shared))
}

/** What it takes of the 64 MiB that a job's coverage may have, bytes. */
export function entryBytes({ path, outcome, shared, given = NOTHING_SHARED }: Entry): number {
  let bytes =
    path.length + ('value' in outcome ? outcome.value.length : outcome.failure.message.length + (outcome.failure.stack?.length ?? 0))
  for (const { values } of [...shared.values(), ...given.values()]) for (const value of values) bytes += value.length
  return bytes
}
