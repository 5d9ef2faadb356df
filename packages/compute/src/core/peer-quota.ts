import { entryBytes, type Entry } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './ids.ts'
import type { Job } from './job.ts'
import type { Members } from './members.ts'
import type { Path } from './path.ts'
import type { TaskNode } from './task-node.ts'
import { NO_TRIES, type Tries } from './tries.ts'

/**
 * Bytes of a task of which this member knows little. Measured: 412, with the room that it takes in
 * the `children` of its parent, if each task has one child.
 */
const NODE_BYTES = 512
/** Bytes of a claim without the input of its task. Measured: 272 if the task has no other claim. */
export const CLAIM_BYTES = 272
/** Maximum bytes of a member's name (`id` in `schemas.ts`). */
const NAME_BYTES = 128
/**
 * Maximum bytes that all jobs keep because of one member's statements. A guess: twice the result
 * table of the largest job.
 */
const MAX_BYTES = 128 * 2 ** 20
/** Minimum time between two recounts for one member. Each recount visits all tasks. A guess. */
const COUNT_AGAIN: Milliseconds = 1000

/** The state of the scheduler that the quota reads. */
interface QuotaContext {
  readonly self: MemberId
  readonly members: Members
  readonly jobs: ReadonlyMap<JobId, Job>
  readonly now: Milliseconds
}

/**
 * Bounds the bytes that each other member may occupy here with its statements: tasks that the
 * member was the first to name or gave away, their outcomes, claims and votes. This member rejects
 * statements beyond the bound. At worst members compute the tasks again. The quota adds bytes as
 * they come. Tasks disappear in many ways, so the quota recounts the bytes when the sum seems too
 * large.
 */
export class PeerQuota {
  readonly #context: () => QuotaContext
  readonly #bytes = new Map<MemberId, number>()
  /**
   * Time of the last recount for each member. With one time for all, a liar could use up every
   * recount.
   */
  readonly #countedAt = new Map<MemberId, Milliseconds>()

  constructor(context: () => QuotaContext) {
    this.#context = context
  }

  /**
   * Returns the task that a member names; undefined if the member's quota has no room for these
   * bytes.
   */
  node(job: Job, path: Path, from: MemberId, bytes: number): TaskNode | undefined {
    const known = job.tree.find(path)
    // The statement is this member's own, or comes from the holder for which it waits. The result
    // table bounds such outcomes, unless they still lack votes.
    if (from === this.#context().self || (known?.holder === from && job.votesNeeded === 1)) return job.tree.ensure(path)
    const more = bytes + (known === undefined ? job.tree.missing(path) * NODE_BYTES : 0)
    if (!this.#has(from, more)) return undefined
    this.#bytes.set(from, (this.#bytes.get(from) ?? 0) + more)
    return job.tree.ensure(path, from)
  }

  /**
   * Filters a member's statement on a task's tries. Keeps only names of known members, as the
   * strings that this member stores. If the job is voted on, keeps only the sender's own name.
   * Otherwise a liar could name members that are gone, and have any task set apart.
   */
  tries(job: Job, from: MemberId, { crashes, holders }: Tries): Tries {
    const { members } = this.#context()
    const kept = (names: readonly MemberId[]): MemberId[] =>
      names.flatMap((name) => (job.votesNeeded > 1 && name !== from ? [] : (members.named(name) ?? [])))
    return { crashes: kept(crashes), holders: kept(holders) }
  }

  /**
   * A member is gone. Its statements stay, so their bytes still count when it is back. The quota
   * forgets a member only once `Members` has forgotten its name.
   */
  gone(): void {
    const { members } = this.#context()
    for (const id of this.#bytes.keys()) {
      if (members.named(id) !== undefined) continue
      this.#bytes.delete(id)
      this.#countedAt.delete(id)
    }
  }

  #has(from: MemberId, more: number): boolean {
    if ((this.#bytes.get(from) ?? 0) + more <= MAX_BYTES) return true
    const { now } = this.#context()
    if (now - (this.#countedAt.get(from) ?? -Infinity) < COUNT_AGAIN) return false
    this.#countedAt.set(from, now)
    const bytes = this.#count(from)
    this.#bytes.set(from, bytes)
    return bytes + more <= MAX_BYTES
  }

  #count(member: MemberId): number {
    let bytes = 0
    for (const { tree, ended } of this.#context().jobs.values()) {
      if (ended === undefined) for (const node of tree.within(tree.root)) bytes += bytesBy(node, member)
    }
    return bytes
  }
}

function bytesBy({ by, task: own, entry, claims, ballots, saved, tries = NO_TRIES }: TaskNode, member: MemberId): number {
  const names = (tries.crashes.length + tries.holders.length) * NAME_BYTES
  const named = by === member ? NODE_BYTES + names + (own?.input.length ?? 0) + (entry === undefined ? 0 : entryBytes(entry)) : 0
  let claimed = 0
  for (const { by: claimant, task } of claims?.values() ?? []) if (claimant === member) claimed += CLAIM_BYTES + (task?.input.length ?? 0)
  const voted = (ballots ?? []).filter(({ votes }) => votes?.some((vote) => vote.by === member))
  const kept = saved?.by === member ? saved.state.length : 0
  return named + claimed + kept + voted.reduce((sum, ballot: Entry) => sum + entryBytes(ballot), 0)
}
