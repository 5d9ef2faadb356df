import { pickOne } from '@jel/protocol'
import { awaitTask, type Context } from './context.ts'
import type { Ending } from './credit.ts'
import { digestOf } from './digest.ts'
import type { Execution } from './execution.ts'
import type { MemberId } from './io.ts'
import { resultOf, type Job } from './job.ts'
import type { Blame } from './blame.ts'
import type { LookupRequests } from './lookup-requests.ts'
import type { HeldBy, Message } from './messages.ts'
import { ROOT, type Path } from './path.ts'
import type { Saves } from './saves.ts'
import { progressOf, type TaskNode } from './task-node.ts'
import { evidence, votersOf } from './votes.ts'

/**
 * If a replica did not have a job, this member asks it again after this delay, ms. The delay
 * doubles each time. Measured: a record reaches a replica within 50 to 200 ms.
 */
const ASK_AGAIN = 25

/**
 * A member believes this often that a holder gave a task back to an earlier holder. Measured: with
 * 4, three liars could keep a task twice as long.
 */
const MAX_GIVEN_BACK = 1

/**
 * Supervises the tasks that this member waits for. It knows their holders. If a holder dies or has
 * lost a task, this member does the task again. A lookup finds the parts with known outcomes
 * (Satin's orphans), and nobody repeats these parts. One message serves all faults: "I wait for
 * these; do you have them?" It repairs a lost grant, a lost result and a replaced holder, and
 * registers its sender as a waiter for the outcome.
 */
export class Supervision {
  readonly #context: Context
  readonly #execution: Execution
  readonly #lookups: LookupRequests
  readonly #blame: Blame
  readonly #saves: Saves

  constructor(context: Context, execution: Execution, lookups: LookupRequests, blame: Blame, saves: Saves) {
    this.#context = context
    this.#saves = saves
    this.#lookups = lookups
    this.#blame = blame
    this.#execution = execution
  }

  /** Asks the holders of awaited tasks, and replicas of watched jobs. */
  due(): void {
    const { now, config, attended, timers } = this.#context
    for (const job of attended) {
      if (job.watchedUntil <= now) job.watchedUntil = -Infinity
      if (job.awaited.size === 0 && !job.isWatched) continue
      if (job.isWatched) this.ask(job)
      timers.set('supervision', now + config.checkEvery)
      const asked = new Map<MemberId, Path[]>()
      for (const { path, holder, heldAt } of job.awaited) {
        if (now - heldAt < config.checkEvery) continue
        const paths = asked.get(holder as MemberId)
        if (paths === undefined) asked.set(holder as MemberId, [path])
        else paths.push(path)
      }
      for (const [holder, paths] of asked) this.#context.send(holder, { type: 'awaiting', job: job.id, paths })
    }
  }

  /** An application here follows the progress of a job for this time. */
  watch(job: Job, within = Infinity): void {
    const { now, config, timers } = this.#context
    job.watchedUntil = Math.max(job.watchedUntil, now + within)
    timers.advance('supervision', now + config.checkEvery)
  }

  /**
   * Asks for a job's progress. The first replica knows most. Another replica sends the outcome if
   * the first does not.
   */
  ask(job: Job): void {
    const [first, ...others] = this.#context.replicas(job)
    for (const replica of [first, pickOne(this.#context.random, others)]) {
      if (replica !== undefined) this.#context.send(replica, { type: 'awaiting', job: job.id, paths: [ROOT] })
    }
  }

  /** A member waits for tasks that are, or were, here. */
  awaited(from: MemberId, job: Job, { paths, known }: Extract<Message, { type: 'awaiting' }>): void {
    const unknown: Path[] = []
    const moved: HeldBy[] = []
    const holding: [Path, number][] = []
    const sent = new Set<Path>()
    for (const path of paths) {
      const result = job.tree.entryFor(path)
      const node = result === undefined ? job.tree.find(path) : undefined
      if (result !== undefined) {
        if (sent.has(result.path) || (known !== undefined && result.path === ROOT && known === digestOf(result))) continue
        sent.add(result.path)
        this.#context.send(from, resultOf(job, result, this.#context.self))
      } else if (node?.ballots !== undefined && node.frame === undefined && votersOf(node).includes(this.#context.self)) {
        this.#context.send(from, { type: 'result', job: job.id, entries: evidence(job, node) })
      } else if (node === undefined || (node.frame === undefined && (node.holder === undefined || node.holder === from))) {
        unknown.push(path)
        // This member may be a replica that still receives the root's outcome. Then it sends the
        // outcome to the asking member.
        if (node?.path === ROOT && from !== this.#context.self) node.waiters = (node.waiters ?? new Set()).add(from)
      } else {
        node.waiters ??= new Set()
        node.waiters.add(from)
        if (node.frame === undefined) moved.push({ path, holder: node.holder as MemberId })
        else holding.push([path, progressOf(node)])
      }
    }
    if (unknown.length > 0) this.#context.send(from, { type: 'unknown', job: job.id, paths: unknown })
    if (moved.length > 0) this.#context.send(from, { type: 'moved', job: job.id, tasks: moved })
    if (holding.length > 0)
      this.#context.send(from, {
        type: 'holding',
        job: job.id,
        progress: holding,
        ...(paths.includes(ROOT) ? { totals: job.work.totalsAt(this.#context.self) } : {}),
      })
  }

  holding(from: MemberId, job: Job, { progress, totals }: Extract<Message, { type: 'holding' }>): void {
    job.work.totals = totals ?? job.work.totals
    for (const [path, share] of progress) {
      if (path === ROOT) job.progress = share
      if (path === ROOT && from !== this.#context.self) job.isOpenElsewhere = true
      const node = job.tree.find(path)
      if (node?.holder !== from) continue
      job.confirmed(node)
      node.heldAt = this.#context.now
      if (share !== node.progress) job.progressed(node, this.#context.now)
      node.progress = share
    }
  }

  /**
   * A holder passed tasks on. From now on this member itself waits for the new holder, and asks it
   * at the next check. So no chain of waiting members remains. After partitions members may form a
   * ring in which each takes the next member for the holder. One of them learns that the holder is
   * itself, or a member that waits here for the task, and repeats the task.
   */
  moved(from: MemberId, job: Job, tasks: readonly HeldBy[]): void {
    const { self, members } = this.#context
    for (const { path, holder } of tasks) {
      if (path === ROOT && from !== self) job.isOpenElsewhere = true
      const node = job.tree.find(path)
      if (node?.holder !== from) continue
      node.deny(from)
      // The sender confirmed that it had the task. So it may have given the task back.
      const isGivenBack = node.denied?.has(holder) === true && node.namedBy === from && node.givenBack++ < MAX_GIVEN_BACK
      if (isGivenBack) node.denied?.delete(holder)
      const isRing = holder === self || node.waiters?.has(holder) === true
      if (isRing || !members.has(holder) || node.denied?.has(holder) === true) this.#redo(job, node)
      else awaitTask(this.#context, job, node, holder, from)
    }
  }

  unknown(from: MemberId, job: Job, { paths, saved }: Extract<Message, { type: 'unknown' }>): void {
    this.#saves.returned(from, job, saved)
    if (from !== this.#context.self && paths.includes(ROOT)) job.isOpenElsewhere = true
    if (job.isWatched && paths.includes(ROOT) && from === this.#context.replicas(job)[0]) this.#askSoon(job)
    for (const path of paths) {
      const node = job.tree.find(path)
      if (node === undefined) continue
      job.unclaim(node, from)
      node.deny(from)
      if (node.holder !== from) continue
      // The holder may be about to leave. Then its thieves report once they know. If members vote,
      // most holders that lack a task have voted on it.
      if (job.votesNeeded === 1) this.#lookups.changed()
      this.#redo(job, node)
    }
  }

  gone(member: MemberId, job: Job): void {
    // It is possible that nobody holds the root any more.
    if (job.claims.has(member)) this.#context.attended.add(job)
    for (const node of job.claims.get(member) ?? []) {
      this.#blame.lostHolder(job, node, member)
      job.unclaim(node, member)
      if (node.claims === undefined) node.quietSince = undefined
      // The holder may have reported an outcome before. A frame here may need it later.
      if (isOwnPart(node)) this.#lookups.add(job, node)
    }
    for (const node of job.awaited) {
      if (node.holder === member) {
        this.#blame.lostHolder(job, node, member)
        node.lost(member)
        if (node.wanted || node.path === ROOT) this.#redo(job, node, 'passed on')
        else this.#leaveToWaiters(job, node)
      } else if (node.namedBy === member) node.namedBy = undefined
    }
    job.credit.gone(member)
    job.recommended.delete(member)
    for (const node of job.held) {
      if (node.waiters?.delete(member) === true && node.waiters.size === 0) node.waiters = undefined
    }
  }

  /** A replica has not received the job yet. */
  #askSoon(job: Job): void {
    const { now, config, timers } = this.#context
    job.askAgainAfter = Math.min(config.checkEvery, 2 * (job.askAgainAfter ?? ASK_AGAIN / 2))
    timers.advance('supervision', now + job.askAgainAfter)
  }

  /**
   * The holder of a task that this member had passed on is gone. The members that wait for it here
   * begin it again. Otherwise this member and the one whose task waits would both begin it.
   */
  #leaveToWaiters(job: Job, node: TaskNode): void {
    const { path, waiters = [] } = node
    job.endWait(node, 'passed on')
    node.waiters = undefined
    node.task = undefined
    for (const waiter of waiters) this.#context.send(waiter, { type: 'unknown', job: job.id, paths: [path] })
    job.tree.prune(node)
  }

  #redo(job: Job, node: TaskNode, how: Ending = 'dropped'): void {
    job.endWait(node, how)
    // This member only looked the task up. No frame here waits for the task, so this member need
    // not repeat the task.
    if (node.task === undefined) {
      job.tree.prune(node)
      return
    }
    this.#execution.open(job, node, node.task, { claimed: !node.wanted, replay: true })
  }
}

/**
 * Whether a task above this one has a frame here, and no member has this task or a task between the
 * two. Otherwise each false claim of a member that leaves would cost a lookup.
 */
function isOwnPart(node: TaskNode): boolean {
  if (node.frame !== undefined) return false
  for (let each: TaskNode | undefined = node; each !== undefined; each = each.parent) {
    if (each.frame !== undefined) return true
    if (each.claims !== undefined || each.holder !== undefined) return false
  }
  return false
}
