import type { Context } from './context.ts'
import { isHeld } from './frame.ts'
import type { MemberId, Milliseconds } from './io.ts'
import { resultOf, type Job } from './job.ts'
import { pageOf } from './lookup-page.ts'
import type { Message, NextPage } from './messages.ts'
import { ROOT, type Path } from './path.ts'
import { CLAIM_BYTES } from './peer-quota.ts'
import type { Saves } from './saves.ts'
import type { Settlement } from './settlement.ts'
import type { TaskNode } from './task-node.ts'
import { isNone, MAX_TRIES, type Tried } from './tries.ts'
import { mayVote } from './votes.ts'

/**
 * Maximum number of claims of one member and job that a replica keeps. A guess: many times what an
 * honest member holds.
 */
export const MAX_CLAIMS = 4096
/**
 * Maximum number of tasks of one job whose reported crashes and lost holders a replica keeps. A
 * guess.
 */
const MAX_TRIED = 4096
/** Bytes of the names of one such task. */
const TRIED_BYTES = 2 * MAX_TRIES * 128

interface Conflict {
  readonly job: Job
  readonly node: TaskNode
  readonly at: Milliseconds
}

/** The state that this member keeps for others as a replica of a job: outcomes and claims. */
export class Replication {
  readonly #context: Context
  readonly #settlement: Settlement
  readonly #saves: Saves
  /**
   * Conflicts in the order of the times at which this replica decides them. A task that moves has
   * two claims until both holders have reported. So two claims are a conflict only if they last.
   */
  readonly #conflicts: Conflict[] = []

  constructor(context: Context, settlement: Settlement, saves: Saves) {
    this.#context = context
    this.#settlement = settlement
    this.#saves = saves
  }

  due(): void {
    const { now, timers } = this.#context
    while ((this.#conflicts[0]?.at ?? Infinity) <= now) this.#decide(this.#conflicts.shift() as Conflict)
    timers.set('replication', this.#conflicts[0]?.at ?? Infinity)
  }

  /** A member reports what it completed and what it holds. */
  report(from: MemberId, job: Job, message: Extract<Message, { type: 'report' }>): void {
    // 0: more parts of this report follow.
    if (message.number > 0) this.#context.send(from, { type: 'noted', job: job.id, number: message.number })
    const isSaved = from === this.#context.self
    // This member's own report comes from its disk.
    const { unsaved } = job.tree
    if (isSaved) job.tree.unsaved = undefined
    this.#take(from, job, message)
    if (!isSaved) return
    job.tree.unsaved = unsaved
    job.isFinal ||= message.entries.some(({ path }) => path === ROOT)
  }

  #take(from: MemberId, job: Job, message: Extract<Message, { type: 'report' }>): void {
    job.work.others.set(from, { ...message.work, heardAt: this.#context.now })
    if (job.ended !== undefined) {
      for (const entry of message.entries) this.#settlement.settle(job, entry, from)
      if (message.entries.every(({ path }) => path !== ROOT)) this.#sendEnd(from, job)
      return
    }
    for (const entry of message.entries) {
      const known = knownOf(job, entry.path)
      this.#settlement.settle(job, entry, from)
      const node = known === Infinity ? undefined : job.tree.find(entry.path)
      // One vote, if several are needed, is no outcome yet.
      if (node?.entry !== undefined) this.#moved(job, node, from)
      if (job.ended !== undefined) break
      // The sender may assume that a new replica already has this entry. This member's own report
      // comes from its disk: to the replicas it is news.
      if ((from === this.#context.self || this.#context.now < job.reports.passesOnUntil) && knownOf(job, entry.path) > known)
        job.reports.add({ type: 'entry', path: entry.path })
    }
    // The sender may give up a claim, or state a new one, in the same report.
    this.#saves.reported(from, job, message.saved)
    for (const path of message.dropped) {
      const node = job.tree.find(path)
      if (node !== undefined) job.unclaim(node, from)
    }
    this.tried(from, job, message.tried)
    for (const claim of message.claims) if (job.ended === undefined) this.#claimed(from, job, claim)
    this.#saves.reported(from, job, message.saved)
    if (job.ended !== undefined && message.entries.every(({ path }) => path !== ROOT)) this.#sendEnd(from, job)
  }

  /** Takes reports of crashes and lost holders. */
  tried(from: MemberId, job: Job, tried: readonly Tried[] = []): void {
    for (const { path, ...tries } of tried) {
      if (job.ended !== undefined || job.tree.entryFor(path) !== undefined || job.failures.triedTasks.size >= MAX_TRIED) continue
      const kept = this.#context.quota.tries(job, from, tries)
      const node = isNone(kept) ? undefined : this.#context.quota.node(job, path, from, TRIED_BYTES)
      if (node !== undefined) job.failures.learnTries(node, kept)
    }
  }

  /**
   * Answers with all that this replica knows of some tasks and of those below them. Sends one page,
   * since a longer answer would be lost while it waits for a slow line. Members of earlier releases
   * get all pages.
   */
  lookup(from: MemberId, job: Job, { request, paths, page, after, alone = false }: Extract<Message, { type: 'lookup' }>): void {
    const isPaged = page !== undefined
    for (let begin: NextPage | undefined = { at: 0, ...(after !== undefined && { after }) }; begin !== undefined;) {
      const { next, ...found } = pageOf(this.#context.self, job, { from, paths, alone }, begin)
      const paging = isPaged && { page, ...(next && { next }) }
      this.#context.send(from, { type: 'found', job: job.id, request, ...found, last: next === undefined, ...paging })
      begin = isPaged ? undefined : next
    }
  }

  #claimed(
    from: MemberId,
    job: Job,
    { age, progress, leaf, second, ...task }: Extract<Message, { type: 'report' }>['claims'][number],
  ): void {
    const { path, input } = task
    const result = job.tree.entryFor(path)
    if (result !== undefined) {
      this.#context.send(from, { type: 'result', job: job.id, entries: [result] })
      return
    }
    if (!this.#context.members.has(from) || (job.claims.get(from)?.size ?? 0) >= MAX_CLAIMS) return
    const node = this.#context.quota.node(job, path, from, CLAIM_BYTES + input.length)
    if (node === undefined || !mayVote(job, node, from)) return
    const known = node.claims?.get(from)
    if (known !== undefined) {
      known.progress = progress
      known.leaf &&= leaf
      return
    }
    node.denied?.delete(from)
    const others = [...(node.claims ?? [])].filter(([, claim]) => !claim.second).map(([holder]) => holder)
    if (isHeld(node.frame)) others.push(this.#context.self)
    job.claim(node, from, { task, since: this.#context.now - age, progress, leaf, second, by: from })
    node.quietSince ??= this.#context.now
    if (others.length === 0 || second) return
    const at = this.#context.now + 2 * this.#context.config.reportEvery
    this.#conflicts.push({ job, node, at })
    this.#context.timers.advance('replication', at)
  }

  /**
   * Two members hold one task, for example after a partition. All replicas leave the task to the
   * same holder.
   */
  #decide({ job, node }: Conflict): void {
    if (job.ended !== undefined || job.tree.find(node.path) !== node) return
    const { self } = this.#context
    const holders = [...(node.claims ?? [])].filter(([, { second }]) => !second).map(([holder]) => holder)
    if (isHeld(node.frame)) holders.push(self)
    const [winner, ...losers] = holders.sort()
    if (winner === undefined || losers.length === 0) return
    for (const loser of losers) {
      job.unclaim(node, loser)
      this.#context.send(loser, { type: 'yield', job: job.id, path: node.path, to: winner })
    }
  }

  /**
   * The tasks above this task make progress. Another member may repeat one of them because the
   * first holder seemed too slow. Then this member asks the second holder to leave the task to the
   * first holder.
   */
  #moved(job: Job, node: TaskNode, from: MemberId): void {
    for (let above = node.parent; above !== undefined; above = above.parent) {
      if (above.quietSince !== undefined) above.quietSince = this.#context.now
      const { claims } = above
      if (claims === undefined || claims.size < 2 || claims.get(from)?.second !== false) continue
      for (const [holder, { second }] of claims) {
        if (!second) continue
        job.unclaim(above, holder)
        this.#context.send(holder, { type: 'yield', job: job.id, path: above.path, to: from })
      }
    }
  }

  #sendEnd(from: MemberId, job: Job): void {
    if (job.entry !== undefined) this.#context.send(from, resultOf(job, job.entry, this.#context.self))
  }
}

/**
 * Returns how much this member knows of the outcome of a task: the number of votes, or infinity if
 * the outcome is certain.
 */
function knownOf(job: Job, path: Path): number {
  if (job.tree.entryFor(path) !== undefined) return Infinity
  return (job.tree.find(path)?.ballots ?? []).reduce((sum, { votes = [] }) => sum + votes.length, 0)
}
