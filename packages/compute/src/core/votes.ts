import { liars, sameGiven, sameVote, type Entry, type Vote } from './entry.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import { joinShared, NOTHING_SHARED, type Shared } from './shared-value.ts'
import type { TaskNode } from './task-node.ts'
import { crashesAt, MOST_CRASHES } from './tries.ts'

/**
 * Maximum number of votes for one outcome, and of outcomes of one task. More add nothing. A guess.
 */
export const MAX_KEPT = 16

/** The result of counting a ballot. */
export interface Count {
  /** The outcome that has enough votes. */
  readonly elected: Entry | undefined
  /** Members that voted for another outcome than the elected one, or for two outcomes. */
  readonly outvoted: readonly MemberId[]
  /**
   * True if there are `MAX_KEPT` outcomes. That many prove that the program gives different
   * outcomes for one input.
   */
  readonly hopeless: boolean
}

/**
 * Whether a member may still compute a task. An outvoted member gets no task. A member that has
 * voted has nothing to add, unless it began with other shared values than the leading ballot.
 */
export function mayVote(job: Job, node: TaskNode, member: MemberId): boolean {
  if (job.votesNeeded === 1) return true
  if (job.outvoted.has(member)) return false
  const ballots = node.ballots ?? []
  const leading = leader(job, ballots)
  return !ballots.some((ballot) => votersIn(ballot).includes(member) && (leading === undefined || sameGiven(ballot, leading)))
}

/** Returns a test for the tasks that a member may compute; undefined: all. */
export function eligible(job: Job, member: MemberId): ((node: TaskNode) => boolean) | undefined {
  if (job.votesNeeded === 1 && !job.failures.hasCrashes) return undefined
  // If a task ended `MOST_CRASHES` containers of a member, that member leaves the task to others.
  return (node) => crashesAt(node.tries, member) < MOST_CRASHES && mayVote(job, node, member)
}

/** Whether a task waits here that this member may compute. */
export function canRun(job: Job, member: MemberId): boolean {
  const may = eligible(job, member)
  return may === undefined ? job.ready.size > 0 : job.ready.some(may)
}

/** Returns the members that have voted on a task. */
export function votersOf(node: TaskNode): MemberId[] {
  return (node.ballots ?? []).flatMap(({ votes }) => (votes ?? []).map(({ by }) => by))
}

/**
 * Counts the votes of an entry together with the known votes on its task (Jalapeno section 6: each
 * task at several hosts). An outcome counts once enough members have computed it, each by itself.
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
  // Each voter may add two ballots. Otherwise a member that votes for every outcome could add
  // ballots without end.
  const isNew = votes.some(({ by }) => others.filter((each) => votersIn(each).includes(by)).length < 2)
  if (isNew) {
    node.ballots = [...others, merged]
    job.tree.unsaved?.add(node.path)
  }
  const all = node.ballots ?? []
  // The election depends on signatures alone, so all members with the same votes agree. A voter
  // that lied elsewhere, or voted twice here, still counts as one vote.
  const elected = votes.length >= job.votesNeeded ? merged : undefined
  const outvoted = new Set<MemberId>()
  for (const each of all) {
    if (each === merged) continue
    for (const by of liars(each, merged)) if (elected !== undefined || votes.some((vote) => vote.by === by)) outvoted.add(by)
  }
  return { elected, outvoted: [...outvoted], hopeless: elected === undefined && isHopeless(all) }
}

/**
 * Whether there are `MAX_KEPT` outcomes, each with its own voter. A member that voted twice does
 * not count.
 */
function isHopeless(ballots: readonly Entry[]): boolean {
  if (ballots.length < MAX_KEPT) return false
  const voters = ballots.flatMap(votersIn)
  const isHonest = (by: MemberId): boolean => voters.indexOf(by) === voters.lastIndexOf(by)
  return ballots.some((first) => ballots.filter((each) => sameGiven(each, first) && votersIn(each).some(isHonest)).length >= MAX_KEPT)
}

/**
 * Returns the shared values that a task begins with if the job is voted on. The first member that
 * computes the task takes the elected values of that time. Later members take the same values. So
 * the outcome does not depend on the member or the time. If the first member states values that
 * nobody elected, others reject them.
 */
export function givenTo(job: Job, node: TaskNode): Shared {
  const leading = leader(job, node.ballots ?? [])
  return leading === undefined ? job.shared : (leading.given ?? NOTHING_SHARED)
}

/**
 * Returns the ballot with the most votes among the ballots whose given shared values are elected.
 */
function leader(job: Job, ballots: readonly Entry[]): Entry | undefined {
  let most: Entry | undefined
  for (const ballot of ballots) {
    if (joinShared(job.shared, ballot.given ?? NOTHING_SHARED) !== job.shared) continue
    const [voters, others] = [votersIn(ballot), most === undefined ? [] : votersIn(most)]
    // In a tie all members choose the same ballot.
    if (voters.length > others.length || (voters.length === others.length && first(voters) < first(others))) most = ballot
  }
  return most
}

/** Counts the members with valid signatures, up to the needed number. */
export function validVotes(job: Job, { votes = [] }: Entry, isValid: (vote: Vote) => boolean): number {
  const by = new Set<MemberId>()
  for (const vote of votes) if (by.size < job.votesNeeded && isValid(vote)) by.add(vote.by)
  return by.size
}

/**
 * Returns the entries to send for a task that members vote on: its ballots, and the elected entries
 * of shared values that the ballots may depend on.
 */
export function evidence(job: Job, node: TaskNode): Entry[] {
  return node.ballots === undefined ? [] : [...new Set([...job.proofs.values(), ...node.ballots])]
}

function first(members: readonly MemberId[]): MemberId {
  return members.toSorted()[0] ?? ''
}

function votersIn({ votes }: Entry): MemberId[] {
  return (votes ?? []).map(({ by }) => by)
}
