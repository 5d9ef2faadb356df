import type { Context } from './context.ts'
import type { Execution } from './execution.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import type { LookedUp, LookupRequests } from './lookup-requests.ts'
import type { HeldBy, Message } from './messages.ts'
import { CLAIM_BYTES } from './peer-quota.ts'
import { MAX_CLAIMS, type Replication } from './replication.ts'
import type { Saves } from './saves.ts'
import type { Settlement } from './settlement.ts'
import { mayVote } from './votes.ts'

/**
 * Asks all replicas what they know of a task before this member repeats it. So no member computes
 * an outcome that a living replica has.
 */
export class Lookups {
  readonly #context: Context
  readonly #requests: LookupRequests
  readonly #execution: Execution
  readonly #settlement: Settlement
  readonly #replication: Replication
  readonly #saves: Saves

  constructor(
    context: Context,
    requests: LookupRequests,
    execution: Execution,
    settlement: Settlement,
    replication: Replication,
    saves: Saves,
  ) {
    this.#context = context
    this.#requests = requests
    this.#execution = execution
    this.#settlement = settlement
    this.#replication = replication
    this.#saves = saves
  }

  due(): void {
    this.#goOn(this.#requests.advance())
  }

  gone(member: MemberId): void {
    this.#goOn(this.#requests.gone(member))
  }

  /** A replica sends a page of what it knows. */
  found(from: MemberId, message: Extract<Message, { type: 'found' }>, job: Job): void {
    const lookup = this.#requests.received(from, message)
    if (lookup === undefined) return
    for (const entry of message.entries) this.#settlement.settle(job, entry, from)
    this.#replication.tried(from, job, message.tried)
    this.#saves.learned(from, job, message.saved)
    const isReplica = this.#context.replicas(job).includes(from)
    for (const claim of message.claims) {
      // A former holder answers only for itself, and only for tasks with which it was lost.
      const isOwn = claim.holder === from && job.tree.find(claim.path)?.lostHolders?.has(from) === true
      if (isReplica || isOwn) this.#claimed(from, job, claim, lookup.until > 0)
    }
    this.#goOn(this.#requests.turnPage(from, message, lookup))
  }

  /** `merges`: the lookup follows a partition. */
  #claimed(from: MemberId, job: Job, { path, holder }: HeldBy, merges: boolean): void {
    const { self, now, members } = this.#context
    if (holder === self || !members.has(holder) || job.ended !== undefined || job.tree.entryFor(path) !== undefined) return
    const known = job.tree.find(path)?.claims?.get(holder)
    // Half of the room for claims is for the statements of the holder itself.
    if (known === undefined && (job.claims.get(holder)?.size ?? 0) >= MAX_CLAIMS / 2) return
    const node = this.#context.quota.node(job, path, from, known === undefined ? CLAIM_BYTES : 0)
    // A claim of a member that has voted is out of date.
    if (node === undefined || !mayVote(job, node, holder)) return
    job.claim(node, holder, known ?? { task: undefined, since: now, progress: 0, leaf: false, second: false, by: from })
    // This member leaves a frame that waits for a worker, or for its children, to the other holder.
    // If both claim the task, a replica decides.
    const { frame } = node
    if (frame === undefined || frame.from === holder || node.denied?.has(holder) === true) return
    // A second execution began because the holder is too slow, so it goes on. After a partition it
    // may have begun because this member did not know the holder.
    if (frame.second && !merges) return
    const isAtWork = frame.state === 'running' && frame.spawned === 0
    // After a partition one of two holders yields: the holder that replicas would decide against.
    const isLast = merges && holder < self
    if (frame.state === 'lookup' || ((!frame.claimed || frame.second || isLast) && !isAtWork)) this.#execution.yield(job, node, holder)
  }

  #goOn(ended: Iterable<LookedUp>): void {
    for (const { job, node } of ended) this.#execution.lookedUp(job, node)
  }
}
