import { awaitTask, type Context } from './context.ts'
import type { Outcome, Task } from './entry.ts'
import { newFrame, type Frame, type FrameOptions } from './frame.ts'
import { beginAgain, dropBelow, dropFrame } from './frame-release.ts'
import type { MemberId, Milliseconds, Spawn } from './io.ts'
import type { Job } from './job.ts'
import type { LookupRequests } from './lookup-requests.ts'
import { depthOf, MAX_DEPTH, type Path } from './path.ts'
import { poisonOf } from './poison.ts'
import type { Queue } from './job-queue.ts'
import type { Settlement } from './settlement.ts'
import { uniteShared, type Shared } from './shared-value.ts'
import type { TaskNode } from './task-node.ts'
import { mayVote } from './votes.ts'
import type { Workers } from './workers.ts'

const OPEN_ADVICE = 'the inputs of tasks that wait take more than 64 MiB; hand large data in as a blob, or spawn fewer tasks at once'

/**
 * Executes tasks here: a frame opens, runs, spawns children, and returns, or this member gives it
 * up.
 */
export class Execution {
  readonly #context: Context
  readonly #queue: Queue
  readonly #lookups: LookupRequests
  readonly #settlement: Settlement
  readonly #workers: Workers

  constructor(context: Context, queue: Queue, lookups: LookupRequests, settlement: Settlement, workers: Workers) {
    this.#context = context
    this.#queue = queue
    this.#lookups = lookups
    this.#settlement = settlement
    this.#workers = workers
  }

  /**
   * A task comes to this member. It runs here as soon as a worker is free. If other members may
   * know outcomes of its parts, a lookup comes first.
   */
  open(job: Job, node: TaskNode, task: Task, options: FrameOptions): void {
    this.#context.attended.add(job)
    node.task = task
    job.endWait(node, 'passed on')
    node.frame = newFrame(this.#context.now, options)
    node.frame.careful ||= node.tries !== undefined && node.tries.holders.length > 0
    if (options.claimed === true) job.held.add(node)
    node.frame.state = 'lookup'
    if (options.replay === true) this.#lookups.add(job, node)
    else this.lookedUp(job, node)
  }

  /** The lookup of a task has ended. */
  lookedUp(job: Job, node: TaskNode): void {
    if (node.frame?.state !== 'lookup') return
    const poison = poisonOf(this.#context, job, node)
    if (poison !== undefined) {
      this.#settlement.setApart(job, node, poison)
      return
    }
    node.frame.state = 'ready'
    this.#context.attended.add(job)
    job.ready.push(node)
    if (node.frame.claimed) job.reports.add({ type: 'claim', path: node.path })
  }

  /** A frame that runs here spawned children. */
  spawned(job: Job, path: Path, children: readonly Spawn[]): void {
    const parent = job.tree.find(path)
    if (parent?.frame?.state !== 'running' || job.ended !== undefined) return
    const asked = new Map<MemberId, Path[]>()
    for (const { step, ...called } of this.#ordered(parent.frame, children)) {
      const { frame } = parent
      // The outcome of an earlier child ended the job.
      if (frame === undefined) return
      if (frame.spawned - frame.settled >= this.#context.config.openChildren || depthOf(path) >= MAX_DEPTH) {
        this.#tooWide(job, parent)
        return
      }
      const node = job.tree.child(parent, step)
      node.wanted = true
      const { input } = called
      node.task ??= { path: node.path, ...called }
      node.inputSize = input.length
      // The task is a parent now. Replicas apply another time limit to parents.
      if (frame.spawned++ === 0 && frame.claimed) job.reports.add({ type: 'claim', path })
      job.open.waits(frame, input.length)
      if (job.open.bytes > this.#context.config.openBytes) {
        this.#settlement.fail(job, 'JOB_TOO_WIDE', OPEN_ADVICE)
        return
      }
      if (node.entry !== undefined) this.#settlement.deliver(job, node, node.entry)
      else if (node.frame === undefined && node.holder === undefined) this.#place(job, node, asked)
    }
    for (const [holder, paths] of asked) this.#context.send(holder, { type: 'awaiting', job: job.id, paths })
    if (job.spec.desired === 'suspend') this.suspend(job)
  }

  /** A frame that ran here ended. */
  returned(job: Job, path: Path, outcome: Outcome, shared: Shared, ran: Milliseconds): void {
    const node = job.tree.find(path)
    job.failures.fitness.succeeded()
    job.failures.unfit = undefined
    this.#queue.charge(job, ran - (node?.frame?.charged ?? 0), node?.frame?.tickets)
    job.work.finished(node?.task?.fn, ran, 'failure' in outcome)
    this.#context.counts.ended(ran, 'failure' in outcome)
    if (node?.frame?.state !== 'running') return
    const united = uniteShared(node.frame.shared, shared)
    if (united === undefined) this.#settlement.failShared(job)
    else this.#settlement.complete(job, node, this.#placed(node, outcome), united, node.frame.given)
  }

  /**
   * Gives up a frame of this member, and leaves the task to another member. Does nothing if that
   * member may not vote on the task, or if that member or the asking replica has used up its
   * credit. `namedBy`: the asking replica; undefined: claims named the other member.
   */
  yield(job: Job, node: TaskNode, to: MemberId, namedBy?: MemberId): void {
    const { credit } = job
    if (!credit.mayHold(to) || (namedBy !== undefined && !credit.mayHold(namedBy)) || !mayVote(job, node, to)) return
    const { frame, wanted, waiters } = node
    if (frame !== undefined) dropFrame(this.#context, job, node)
    dropBelow(this.#context, job, node)
    // A replica gave this member the second execution of the task. No frame here and no other
    // member waits for the outcome. If this member waited for it, the task would count as lost
    // after a while.
    if (frame?.second === true && !wanted && waiters === undefined) return
    awaitTask(this.#context, job, node, to, namedBy)
    this.#context.send(to, { type: 'awaiting', job: job.id, paths: [node.path] })
  }

  /** A container is lost. Its frames begin again. */
  beginAnew(job: Job, slot: number): void {
    for (const node of job.tree.within(job.tree.root)) {
      const { frame } = node
      if (frame?.state === 'running' && frame.slot === slot) beginAgain(job, node)
    }
  }

  /**
   * The owner suspended the job. Frames that wait for children begin again after the suspension.
   * Otherwise each of them would keep its process, maybe for weeks.
   */
  suspend(job: Job): void {
    for (const node of job.tree.within(job.tree.root)) {
      const { frame } = node
      if (frame?.state === 'running' && frame.spawned !== frame.settled) this.#stop(job, node, frame)
    }
  }

  /** Stops a task that runs here and has saved its state. Then it goes on from there. */
  stop(job: Job, path: Path): void {
    const node = job.tree.find(path)
    if (node?.frame?.state !== 'running') return
    this.#workers.stopped(node.frame.slot)
    this.#stop(job, node, node.frame)
  }

  #stop(job: Job, node: TaskNode, { slot }: Frame): void {
    this.#context.effects.push({ type: 'forget', slot, job: job.id, path: node.path })
    beginAgain(job, node)
  }

  /**
   * A repeated frame begins with its last children. In a partition the other half of the pool works
   * on the first children. Simulated, 20 members, partitioned for 30 of 90 s: the pool does 3.9 %
   * of the work of one wide task twice. If both halves use the same order, it does 18.5 % twice.
   * For a tree the figures are 8.3 % and 11 %.
   */
  #ordered({ replay }: Frame, children: readonly Spawn[]): readonly Spawn[] {
    return replay ? children.toReversed() : children
  }

  /** A frame spawned this child. Another member may already hold the child. */
  #place(job: Job, node: TaskNode, asked: Map<MemberId, Path[]>): void {
    const holder = [...(node.claims ?? [])].find(([member, { second }]) => member !== this.#context.self && !second)?.[0]
    if (holder === undefined || job.credit.hasLost(holder)) {
      const poison = poisonOf(this.#context, job, node)
      node.frame = newFrame(this.#context.now)
      job.ready.push(node)
      if (poison !== undefined) this.#settlement.setApart(job, node, poison)
      return
    }
    awaitTask(this.#context, job, node, holder)
    const paths = asked.get(holder)
    if (paths === undefined) asked.set(holder, [node.path])
    else paths.push(node.path)
  }

  /** Adds this member to a failure, unless a child passed the failure on. */
  #placed(node: TaskNode, outcome: Outcome): Outcome {
    if (!('failure' in outcome) || outcome.failure.member !== '') return outcome
    return { failure: { ...outcome.failure, member: this.#context.self, tries: 1 + (node.tries?.crashes.length ?? 0) } }
  }

  #tooWide(job: Job, node: TaskNode): void {
    const { openChildren } = this.#context.config
    const fn = node.task?.fn ?? 'a task'
    const reason =
      depthOf(node.path) < MAX_DEPTH
        ? `${fn} waits for ${openChildren} children, the most at once; a space cuts any number of indices into pieces`
        : `${fn} spawns more than ${MAX_DEPTH} levels deep`
    this.#settlement.fail(job, 'JOB_TOO_WIDE', reason)
  }
}
