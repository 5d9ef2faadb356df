import { sameOutcome, type Entry, type Vote } from './entry.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import { NOTHING_SHARED } from './shared-value.ts'
import type { TaskNode } from './task-tree.ts'

/** Votes for one outcome that are kept, and outcomes of one task: more tell nothing. A guess. */
export const MAX_KEPT = 16

/** What a ballot comes to. */
export interface Count {
  /** An outcome has enough votes. */
  readonly elected: Entry | undefined
  /** Who voted for another one, or for two. */
  readonly outvoted: readonly MemberId[]
  /** So many outcomes are told that the program must have several for one input. */
  readonly hopeless: boolean
}

/** Whether this member may still compute a task: one that has voted has nothing to add, and one that was outvoted is not asked any more. */
export function mayVote(job: Job, node: TaskNode, member: MemberId): boolean {
  if (job.votesNeeded === 1) return true
  if (job.outvoted.has(member)) return false
  return !(node.ballots ?? []).some(({ votes }) => votes?.some(({ by }) => by === member))
}

/** Which tasks a member may compute; undefined: all. */
export function eligible(job: Job, member: MemberId): ((node: TaskNode) => boolean) | undefined {
  return job.votesNeeded === 1 ? undefined : (node) => mayVote(job, node, member)
}

/** Whether a task waits here that this member may compute. */
export function canRun(job: Job, member: MemberId): boolean {
  const may = eligible(job, member)
  return may === undefined ? job.ready.size > 0 : job.ready.some(may)
}

/** Members that have voted on a task. */
export function votersOf(node: TaskNode): MemberId[] {
  return (node.ballots ?? []).flatMap(({ votes }) => (votes ?? []).map(({ by }) => by))
}

/**
 * Counts the votes of an entry with those that are known of its task (Jalapeno section 6: each task at several hosts). An outcome counts once enough members have computed it, each by itself.
 * `isValid` checks a signature.
 */
export function count(job: Job, node: TaskNode, entry: Entry, isValid: (vote: Vote) => boolean): Count {
  const ballots = node.ballots ?? []
  const known = ballots.find((each) => sameOutcome(each, entry))
  const votes = [...(known?.votes ?? [])]
  for (const vote of entry.votes ?? []) {
    if (votes.length >= MAX_KEPT || votes.some(({ by }) => by === vote.by) || !isValid(vote)) continue
    votes.push(vote)
  }
  const merged: Entry = { path: entry.path, outcome: entry.outcome, shared: NOTHING_SHARED, votes }
  if (votes.length > 0) node.ballots = [...ballots.filter((each) => each !== known), merged]
  const all = node.ballots ?? []
  // What counts follows from signatures alone, so that all members with the same ones agree: a voter that lied elsewhere, or here as well, still counts for one.
  const elected = votes.length >= job.votesNeeded ? merged : undefined
  const outvoted = new Set<MemberId>()
  for (const each of all) {
    if (each === merged) continue
    for (const by of votersIn(each)) if (elected !== undefined || votes.some((vote) => vote.by === by)) outvoted.add(by)
  }
  return { elected, outvoted: [...outvoted], hopeless: elected === undefined && all.length >= MAX_KEPT }
}

function votersIn({ votes }: Entry): MemberId[] {
  return (votes ?? []).map(({ by }) => by)
}
