import { liars, sameGiven, sameVote, type Entry, type Vote } from './entry.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import { joinShared, NOTHING_SHARED, type Shared } from './shared-value.ts'
import type { TaskNode } from './task-tree.ts'
import { crashesAt, MOST_CRASHES } from './tries.ts'

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

/**
 * Whether this member may still compute a task: one that was outvoted is not asked any more, and one that has voted has nothing to add, unless it began with other shared values than those
 * that most voted with.
 */
export function mayVote(job: Job, node: TaskNode, member: MemberId): boolean {
  if (job.votesNeeded === 1) return true
  if (job.outvoted.has(member)) return false
  const ballots = node.ballots ?? []
  const leading = leader(job, ballots)
  return !ballots.some((ballot) => votersIn(ballot).includes(member) && (leading === undefined || sameGiven(ballot, leading)))
}

/** Which tasks a member may compute; undefined: all. */
export function eligible(job: Job, member: MemberId): ((node: TaskNode) => boolean) | undefined {
  if (job.votesNeeded === 1 && !job.hasCrashes) return undefined
  // A task that ended so many containers at a member is left to others.
  return (node) => crashesAt(node.tries, member) < MOST_CRASHES && mayVote(job, node, member)
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
  const known = ballots.find((each) => sameVote(each, entry))
  const votes = [...(known?.votes ?? [])]
  for (const vote of entry.votes ?? []) {
    if (votes.length >= MAX_KEPT || votes.some(({ by }) => by === vote.by) || !isValid(vote)) continue
    votes.push(vote)
  }
  const merged: Entry = { ...entry, votes }
  const others = ballots.filter((each) => each !== known)
  // One that votes for everything could go on for ever.
  const isNew = votes.some(({ by }) => others.filter((each) => votersIn(each).includes(by)).length < 2)
  if (isNew) node.ballots = [...others, merged]
  const all = node.ballots ?? []
  // What counts follows from signatures alone, so that all members with the same ones agree: a voter that lied elsewhere, or here as well, still counts for one.
  const elected = votes.length >= job.votesNeeded ? merged : undefined
  const outvoted = new Set<MemberId>()
  for (const each of all) {
    if (each === merged) continue
    for (const by of liars(each, merged)) if (elected !== undefined || votes.some((vote) => vote.by === by)) outvoted.add(by)
  }
  return { elected, outvoted: [...outvoted], hopeless: elected === undefined && isHopeless(all) }
}

/** Whether so many members each gave an outcome that no other did. A member that voted twice has not to be believed. */
function isHopeless(ballots: readonly Entry[]): boolean {
  if (ballots.length < MAX_KEPT) return false
  const voters = ballots.flatMap(votersIn)
  const isHonest = (by: MemberId): boolean => voters.indexOf(by) === voters.lastIndexOf(by)
  return ballots.some((first) => ballots.filter((each) => sameGiven(each, first) && votersIn(each).some(isHonest)).length >= MAX_KEPT)
}

/**
 * The shared values that a task of a job that is voted on begins with. The first member that computes it takes what is elected by then, and those after it the same: so what a task gives does
 * not depend on who computes it, and when. What the first one claims to have been given, and nobody voted for, is not taken.
 */
export function givenTo(job: Job, node: TaskNode): Shared {
  const leading = leader(job, node.ballots ?? [])
  return leading === undefined ? job.shared : (leading.given ?? NOTHING_SHARED)
}

/** Of those whose shared values are elected as well the ballot with the most votes. */
function leader(job: Job, ballots: readonly Entry[]): Entry | undefined {
  let most: Entry | undefined
  for (const ballot of ballots) {
    if (joinShared(job.shared, ballot.given ?? NOTHING_SHARED) !== job.shared) continue
    const [voters, others] = [votersIn(ballot), most === undefined ? [] : votersIn(most)]
    // Of two with as many all choose the same.
    if (voters.length > others.length || (voters.length === others.length && first(voters) < first(others))) most = ballot
  }
  return most
}

/** How many members say so, as their signatures show. */
export function validVotes(job: Job, { votes = [] }: Entry, isValid: (vote: Vote) => boolean): number {
  const by = new Set<MemberId>()
  for (const vote of votes) if (by.size < job.votesNeeded && isValid(vote)) by.add(vote.by)
  return by.size
}

/** What is to be told of a task that is voted on: its votes, and the votes for shared values that these may depend on. */
export function evidence(job: Job, node: TaskNode): Entry[] {
  return node.ballots === undefined ? [] : [...new Set([...job.proofs.values(), ...node.ballots])]
}

function first(members: readonly MemberId[]): MemberId {
  return members.toSorted()[0] ?? ''
}

function votersIn({ votes }: Entry): MemberId[] {
  return (votes ?? []).map(({ by }) => by)
}
