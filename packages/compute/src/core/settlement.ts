import type { Context } from './context.ts'
import type { EndedJobs } from './ended-jobs.ts'
import { entryBytes, liars, sameOutcome, standing, type Entry, type Outcome } from './entry.ts'
import { newFrame, type Frame } from './frame.ts'
import { releaseTask } from './frame-release.ts'
import type { MemberId } from './io.ts'
import { resultOf, type Job } from './job.ts'
import type { JobEnd } from './job-end.ts'
import type { Parking } from './parking.ts'
import { ROOT } from './path.ts'
import { joinShared, NOTHING_SHARED, SHARED_TOO_LARGE, uniteShared, type Shared } from './shared-value.ts'
import type { TaskNode } from './task-node.ts'
import { NO_TRIES } from './tries.ts'
import { count, evidence, givenTo, votersOf } from './votes.ts'
import type { Workers } from './workers.ts'

const TOO_WIDE_ADVICE = 'the values of its tasks take more than 64 MiB; do more in one task, or unite values with a space'
const SHARED_ADVICE = 'its shared values take more than 2 MiB; offer smaller values, or fewer'
const NO_INPUT = new Uint8Array()

/** Settles the outcome of each task: counts it once, delivers it, and ends the work on the task. */
export class Settlement {
  readonly #context: Context
  readonly #workers: Workers
  readonly #parking: Parking
  readonly #jobEnd: JobEnd
  readonly #ended: EndedJobs

  constructor(context: Context, workers: Workers, parking: Parking, jobEnd: JobEnd, ended: EndedJobs) {
    this.#context = context
    this.#workers = workers
    this.#parking = parking
    this.#jobEnd = jobEnd
    this.#ended = ended
  }

  /**
   * A task has an outcome. Each task counts once. A second outcome for the same path only decides
   * which of the two this member keeps. Once a task has an outcome, the outcomes of all tasks below
   * it do not count.
   */
  settle(job: Job, entry: Entry, from: MemberId): void {
    if (job.ended !== undefined) {
      if (entry.path === ROOT) this.#ended.settle(job, entry, from)
      return
    }
    const result = job.tree.entryFor(entry.path)
    if (result !== undefined) {
      if (result.path === entry.path) this.#compare(job, result, entry)
      return
    }
    // The outcome of the root always has room, since it frees the room of all others.
    const { root } = job.tree
    const node = entry.path === ROOT ? root : this.#context.quota.node(job, entry.path, from, entryBytes(entry))
    if (node === undefined) return
    const elected = job.votesNeeded === 1 ? entry : this.#elect(job, node, entry, from)
    if (elected !== undefined) this.#accept(job, node, elected, from)
  }

  /**
   * A frame of this member ended with an outcome. `given`: the shared values that it began with.
   */
  complete(job: Job, node: TaskNode, outcome: Outcome, shared: Shared, given: Shared): void {
    const frame = node.frame as Frame
    const entry = this.#entry(job, node.path, outcome, shared, { given, spawned: frame.spawned })
    job.held.delete(node)
    job.open.ended(frame)
    node.frame = undefined
    job.reports.add({ type: 'entry', path: node.path })
    this.settle(job, entry, this.#context.self)
  }

  /** Sets a task apart: it fails with `TASK_POISONOUS`, and no member tries it again. */
  setApart(job: Job, node: TaskNode, reason: string): void {
    this.giveUp(job, node, 'TASK_POISONOUS', `${node.task?.fn ?? 'a task'} is set apart: ${reason}`)
  }

  /** Fails a task that this member can't run. */
  giveUp(job: Job, node: TaskNode, code: string, message: string): void {
    const frame = node.frame as Frame
    const { crashes, holders } = node.tries ?? NO_TRIES
    const failure = {
      code,
      message,
      member: this.#context.self,
      tries: Math.max(1, crashes.length + holders.length),
      task: node.path,
      ...(node.task && { fn: node.task.fn, input: this.#context.describe(node.task.input) }),
    }
    if (frame.state === 'ready') job.ready.dropped()
    const given = job.votesNeeded === 1 ? NOTHING_SHARED : givenTo(job, node)
    this.complete(job, node, { failure }, frame.shared, given)
  }

  /**
   * Fails a job that can't go on. If the job is voted on, the failure is one vote, and each other
   * voter must reach it by itself. Meanwhile this member keeps nothing of the job.
   */
  fail(job: Job, code: string, message: string, stack?: string): void {
    const failure = { code, message, member: this.#context.self, tries: 1, ...(stack === undefined ? {} : { stack }) }
    if (job.votesNeeded > 1) this.#jobEnd.stop(job)
    const shared = job.votesNeeded === 1 ? job.shared : NOTHING_SHARED
    job.reports.add({ type: 'entry', path: ROOT })
    this.settle(job, this.#entry(job, ROOT, { failure }, shared, newFrame(0)), this.#context.self)
  }

  /** Fails a job whose shared values are too large. */
  failShared(job: Job): void {
    this.fail(job, SHARED_TOO_LARGE, SHARED_ADVICE)
  }

  offered(job: Job, shared: Shared): void {
    if (job.votesNeeded === 1) this.#improve(job, shared)
  }

  /** Delivers the outcome of a child to the frame here that waits for it. */
  deliver(job: Job, node: TaskNode, entry: Entry): void {
    node.wanted = false
    const parent = node.parent as TaskNode
    const { frame } = parent
    if (frame?.state !== 'running' && frame?.state !== 'parked') return
    frame.settled++
    job.open.waits(frame, -node.inputSize)
    const united = uniteShared(frame.shared, entry.shared)
    if (united === undefined) {
      this.failShared(job)
      return
    }
    frame.shared = united
    if (frame.state === 'parked') {
      this.#parking.settled(job, parent)
      return
    }
    const { slot } = frame
    const { outcome, shared } = entry
    this.#workers.sent(slot)
    this.#context.effects.push({ type: 'deliver', slot, job: job.id, path: parent.path, step: node.step, outcome, shared })
  }

  #accept(job: Job, node: TaskNode, entry: Entry, from: MemberId): void {
    const voters = votersOf(node)
    if (node.holder === from) job.endWait(node, 'outcome')
    const interested = releaseTask(this.#context, job, node)
    for (const voter of voters) if (voter !== this.#context.self) interested.add(voter)
    job.tree.put(node, entry)
    // Nobody needs its input any more.
    if (node.task !== undefined) node.task = { ...node.task, input: NO_INPUT }
    job.failures.forgetTries(node)
    for (const member of interested) if (member !== from) this.#context.send(member, resultOf(job, entry, this.#context.self))
    this.#improve(job, entry.shared, entry)
    if (node.wanted) this.deliver(job, node, entry)
    if (node.parent === undefined) this.#jobEnd.end(job, entry)
    else if (job.tree.bytes > this.#context.config.tableBytes) this.fail(job, 'JOB_TOO_WIDE', TOO_WIDE_ADVICE)
  }

  /**
   * Counts votes. If there are too few votes, another member must compute the task. The member
   * whose frame waits for the task arranges this.
   */
  #elect(job: Job, node: TaskNode, entry: Entry, from: MemberId): Entry | undefined {
    const before = votersOf(node).length
    const { elected, outvoted, hopeless } = count(job, node, entry, (vote) => this.#context.verify(job.id, entry, vote))
    for (const member of outvoted) this.#outvote(job, node, member)
    if (hopeless) this.fail(job, 'TASK_UNREPEATABLE', `${node.task?.fn ?? 'a task'} gives different values at different members`)
    if (elected !== undefined || hopeless) return elected
    // The root has few outcomes, so their bytes do not count.
    if (from === this.#context.self && node.parent !== undefined) job.tree.countBallots(node, from)
    if (node.parent !== undefined && job.tree.bytes > this.#context.config.tableBytes) {
      this.fail(job, 'JOB_TOO_WIDE', TOO_WIDE_ADVICE)
      return undefined
    }
    // Neither the sender nor the voters work on the task any more.
    for (const member of [from, ...votersOf(node)]) job.unclaim(node, member)
    node.deny(from)
    // An outcome that adds no valid vote counts as a dropped task.
    if (node.holder === from) job.endWait(node, votersOf(node).length > before ? 'outcome' : 'dropped')
    if (node.frame !== undefined || node.holder !== undefined) return undefined
    if (node.wanted) {
      // The next holder looks up the known outcomes of the task and its parts.
      node.frame = newFrame(this.#context.now, { replay: true })
      job.ready.push(node)
    } else {
      for (const waiter of node.waiters ?? []) {
        if (waiter !== from) this.#context.send(waiter, { type: 'result', job: job.id, entries: evidence(job, node) })
      }
      node.waiters = undefined
    }
    return undefined
  }

  #outvote(job: Job, node: TaskNode, member: MemberId): void {
    if (job.outvoted.has(member)) return
    job.outvoted.add(member)
    const message = `${member} gave another value for ${node.task?.fn ?? 'a task'} than others did; it gets no more of this job's tasks from here`
    this.#context.effects.push({ type: 'warning', job: job.id, code: 'MEMBER_OUTVOTED', message })
  }

  #entry(job: Job, path: string, outcome: Outcome, shared: Shared, { given, spawned }: Pick<Frame, 'given' | 'spawned'>): Entry {
    if (job.votesNeeded === 1) return { path, outcome, shared }
    const entry = { path, outcome, shared: joinShared(given, shared), ...(given.size > 0 && { given }) }
    const leaf = spawned === 0
    return { ...entry, votes: [{ by: this.#context.self, leaf, signature: this.#context.sign(job.id, entry, leaf) }] }
  }

  /**
   * Improves the shared values of a job. Running frames receive the new values, unless the job is
   * voted on. `elected`: the elected entry with these values; only if the job is voted on.
   */
  #improve(job: Job, shared: Shared, elected?: Entry): void {
    const before = job.shared
    if (!job.join(shared)) return
    if (job.votesNeeded === 1) this.#context.effects.push({ type: 'shared', job: job.id, shared: job.shared })
    else if (elected !== undefined) {
      for (const name of shared.keys()) if (job.shared.get(name) !== before.get(name)) job.proofs.set(name, elected)
    }
  }

  /**
   * Handles two outcomes for one path. A correct program gives the same value for the same input.
   * Its outcomes can differ only if different shared values pruned them.
   */
  #compare(job: Job, known: Entry, other: Entry): void {
    const node = job.tree.find(known.path) as TaskNode
    if (job.votesNeeded > 1) {
      const votes = (other.votes ?? []).filter((vote) => this.#context.verify(job.id, other, vote))
      for (const member of liars({ ...other, votes }, known)) this.#outvote(job, node, member)
      return
    }
    if (sameOutcome(known, other)) return
    const kept = standing(known, other)
    if (kept !== known) job.tree.put(node, { ...kept, shared: joinShared(known.shared, other.shared) })
    if (known.shared.size > 0 || other.shared.size > 0) return
    const message = `two members gave different values for the same input of ${node.task?.fn ?? 'a task'}; the programs' one rule is: same input, same value`
    this.#context.effects.push({ type: 'warning', job: job.id, code: 'TASK_UNREPEATABLE', message })
  }
}
