import type { Context } from './context.ts'
import type { Entry, Outcome, Task } from './entry.ts'
import { entryBytes, liars, sameOutcome, standing } from './entry.ts'
import type { Grant, MemberId, Milliseconds, Spawn } from './io.ts'
import { resultOf, type Job } from './job.ts'
import { depthOf, MAX_DEPTH, ROOT, type Path } from './path.ts'
import { poisonOf } from './poison.ts'
import { joinShared, NOTHING_SHARED, SHARED_TOO_LARGE, uniteShared, type Shared } from './shared-value.ts'
import { newFrame, type Frame, type TaskNode } from './task-tree.ts'
import { NO_TRIES } from './tries.ts'
import { count, eligible, evidence, givenTo, mayVote, votersOf } from './votes.ts'
import type { Queue } from './queue.ts'
import type { Workers } from './workers.ts'

/** Weight of the latest task in the moving average of task times. A guess. */
const LATEST = 0.1
/**
 * Bytes of inputs beyond which no more tasks go with one answer: it must fit into a message. As of
 * reports.
 */
const GRANTED_BYTES = 512 * 1024

/**
 * Manages frames: their begin, their calls for children, their end, and the effects of an outcome.
 */
export class Execution {
  readonly #context: Context
  readonly #workers: Workers
  readonly #queue: Queue
  /** Receives a task that must be looked up before it may run. */
  readonly #lookup: (job: Job, node: TaskNode) => void
  /** Receives an outcome of a job that is over. */
  readonly #settleEnded: (job: Job, entry: Entry, from: MemberId) => void

  constructor(
    context: Context,
    workers: Workers,
    queue: Queue,
    tell: { lookup: (job: Job, node: TaskNode) => void; settleEnded: (job: Job, entry: Entry, from: MemberId) => void },
  ) {
    this.#context = context
    this.#workers = workers
    this.#queue = queue
    this.#lookup = tell.lookup
    this.#settleEnded = tell.settleEnded
  }

  /**
   * A task comes to this member. It runs here as soon as a worker is free, after a lookup if parts
   * of it may be known.
   */
  open(job: Job, node: TaskNode, task: Task, options: Partial<Pick<Frame, 'claimed' | 'from' | 'second' | 'replay' | 'careful'>>): void {
    this.#context.attended.add(job)
    node.task = task
    job.unawait(node, 'passed on')
    node.frame = newFrame(this.#context.now, options)
    node.frame.careful ||= node.tries !== undefined && node.tries.holders.length > 0
    if (options.claimed === true) job.held.add(node)
    node.frame.state = 'lookup'
    if (options.replay === true) this.#lookup(job, node)
    else this.lookedUp(job, node)
  }

  /** The lookup of a task has ended. */
  lookedUp(job: Job, node: TaskNode): void {
    if (node.frame?.state !== 'lookup') return
    const poison = poisonOf(this.#context, job, node)
    if (poison !== undefined) {
      this.setApart(job, node, poison)
      return
    }
    node.frame.state = 'ready'
    this.#context.attended.add(job)
    job.ready.push(node)
    if (node.frame.claimed) this.#news(job, 'claim', node.path)
  }

  /** A frame that runs here called for children. */
  spawned(job: Job, path: Path, children: readonly Spawn[]): void {
    const parent = job.tree.find(path)
    if (parent?.frame?.state !== 'running' || job.ended !== undefined) return
    const asked = new Map<MemberId, Path[]>()
    for (const { step, fn, input } of this.#ordered(parent.frame, children)) {
      const { frame } = parent
      if (frame.spawned - frame.settled >= this.#context.config.openChildren || depthOf(path) >= MAX_DEPTH) {
        this.#tooWide(job, parent)
        return
      }
      const node = job.tree.child(parent, step)
      node.wanted = true
      node.task ??= { path: node.path, fn, input }
      node.inputSize = input.length
      // It is now a parent, so replicas apply another limit.
      if (frame.spawned++ === 0 && frame.claimed) this.#news(job, 'claim', path)
      frame.openBytes += input.length
      job.openBytes += input.length
      if (job.openBytes > this.#context.config.openBytes) {
        this.fail(job, 'JOB_TOO_WIDE', openAdvice)
        return
      }
      if (node.entry !== undefined) this.#deliver(job, node, node.entry)
      else if (node.frame === undefined && node.holder === undefined) this.#place(job, node, asked)
    }
    for (const [holder, paths] of asked) this.#context.send(holder, { type: 'awaiting', job: job.id, paths })
  }

  /** A frame that ran here ended. */
  returned(job: Job, path: Path, outcome: Outcome, shared: Shared, ran: Milliseconds): void {
    job.work.finished++
    job.work.ran += ran
    job.fitness.succeeded()
    job.unfit = undefined
    job.taskTime = job.taskTime === undefined ? ran : job.taskTime + LATEST * (ran - job.taskTime)
    const node = job.tree.find(path)
    this.#queue.charge(job, ran - (node?.frame?.charged ?? 0))
    if (node?.task !== undefined) job.took(node.task.fn, ran)
    if (node?.frame?.state !== 'running') return
    const united = uniteShared(node.frame.shared, shared)
    if (united === undefined) {
      this.fail(job, SHARED_TOO_LARGE, sharedAdvice)
      return
    }
    const entry = this.#entry(job, path, this.#placed(node, outcome), united, node.frame)
    job.held.delete(node)
    job.closed(node.frame)
    node.frame = undefined
    this.#news(job, 'entry', path)
    this.settle(job, entry, this.#context.self)
  }

  /**
   * A task has an outcome. Each counts once: another one for the same path, or below it, only
   * affects which of the two stands.
   */
  settle(job: Job, entry: Entry, from: MemberId): void {
    if (job.ended !== undefined) {
      if (entry.path === ROOT) this.#settleEnded(job, entry, from)
      return
    }
    const covering = job.tree.covering(entry.path)
    if (covering !== undefined) {
      if (covering.path === entry.path) this.#compare(job, covering, entry)
      return
    }
    const node = this.#context.quota.node(job, entry.path, from, entryBytes(entry))
    if (node === undefined) return
    const elected = job.votesNeeded === 1 ? entry : this.#elect(job, node, entry, from)
    if (elected !== undefined) this.#cover(job, node, elected, from)
  }

  #cover(job: Job, node: TaskNode, entry: Entry, from: MemberId): void {
    const voters = votersOf(node)
    if (node.holder === from) job.unawait(node, 'outcome')
    const told = this.#release(job, node)
    for (const voter of voters) if (voter !== this.#context.self) told.add(voter)
    job.tree.cover(node, entry)
    // Nobody computes it any more.
    if (node.task !== undefined) node.task = { ...node.task, input: NO_INPUT }
    job.cleared(node)
    for (const member of told) if (member !== from) this.#context.send(member, resultOf(job, entry, this.#context.self))
    this.#improve(job, entry.shared, entry)
    if (node.wanted) this.#deliver(job, node, entry)
    if (node.parent === undefined) this.#end(job, entry)
    else if (job.tree.bytes > this.#context.config.coverageBytes) this.fail(job, 'JOB_TOO_WIDE', coverageAdvice)
  }

  /**
   * Counts votes. If they are not enough, the member that waits for the task gets it computed by
   * another member.
   */
  #elect(job: Job, node: TaskNode, entry: Entry, from: MemberId): Entry | undefined {
    const { elected, outvoted, hopeless } = count(job, node, entry, (vote) => this.#context.verify(job.id, entry, vote))
    for (const member of outvoted) this.#outvote(job, node, member)
    if (hopeless) this.fail(job, 'TASK_UNREPEATABLE', `${node.task?.fn ?? 'a task'} gives different values at different members`)
    if (elected !== undefined || hopeless) return elected
    // Neither the sender nor the voters work on it.
    for (const member of [from, ...votersOf(node)]) job.unclaim(node, member)
    node.deny(from)
    if (node.holder === from) job.unawait(node, 'outcome')
    if (node.frame !== undefined || node.holder !== undefined) return undefined
    if (node.wanted) {
      // The next holder looks up what is known of it.
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

  #entry(job: Job, path: Path, outcome: Outcome, shared: Shared, { given, spawned }: Pick<Frame, 'given' | 'spawned'>): Entry {
    if (job.votesNeeded === 1) return { path, outcome, shared }
    const entry = { path, outcome, shared: joinShared(given, shared), ...(given.size > 0 && { given }) }
    const leaf = spawned === 0
    return { ...entry, votes: [{ by: this.#context.self, leaf, signature: this.#context.sign(job.id, entry, leaf) }] }
  }

  /** Hands the oldest tasks to a thief. */
  give(job: Job, thief: MemberId, count: number): Grant[] {
    const grants: Grant[] = []
    let bytes = 0
    while (grants.length < count && bytes < GRANTED_BYTES && job.credit.mayHold(thief)) {
      const node = this.#voted(job, thief) ?? job.ready.oldest(eligible(job, thief))
      if (node === undefined) break
      const frame = node.frame as Frame
      const { task } = node as { task: Task }
      bytes += task.input.length
      // The thief must begin with the same shared values as the voters.
      if (node.ballots !== undefined) this.#context.send(thief, { type: 'result', job: job.id, entries: evidence(job, node) })
      grants.push({
        ...task,
        job: job.id,
        replay: frame.replay || node.children !== undefined,
        tries: node.tries?.crashes.length ?? 0,
        ...node.tries,
      })
      this.#close(job, node)
      job.await(node, thief, this.#context.now)
    }
    return grants
  }

  /**
   * A task that lacks a vote goes first: results for others, as a bound, count only once it is
   * elected.
   */
  #voted(job: Job, thief: MemberId): TaskNode | undefined {
    const may = eligible(job, thief)
    return may && job.ready.newest((node) => node.ballots !== undefined && may(node))
  }

  /**
   * Gives up a frame of this member, and leaves it to another one, as far as that one is trusted.
   */
  yield(job: Job, node: TaskNode, to: MemberId): void {
    if (!job.credit.mayHold(to) || !mayVote(job, node, to)) return
    const { frame, wanted, waiters } = node
    if (frame !== undefined) this.drop(job, node)
    this.#dropBelow(job, node)
    // Nobody here waits for a second execution that a replica gave out. A member that waited would
    // take the task for lost after a while.
    if (frame?.second === true && !wanted && waiters === undefined) return
    job.await(node, to, this.#context.now)
    this.#context.send(to, { type: 'awaiting', job: job.id, paths: [node.path] })
  }

  /** A container is lost with its frames: they begin again. */
  beginAnew(job: Job, slot: number): void {
    for (const node of job.tree.within(job.tree.root)) {
      const { frame } = node
      if (frame?.state !== 'running' || frame.slot !== slot) continue
      if (node.children !== undefined) for (const child of node.children.values()) child.wanted = false
      job.closed(frame)
      node.frame = newFrame(frame.since, frame)
      job.ready.push(node)
    }
  }

  /** Ends a task that must not be tried again. */
  setApart(job: Job, node: TaskNode, reason: string): void {
    const frame = node.frame as Frame
    const { self } = this.#context
    const { crashes, holders } = node.tries ?? NO_TRIES
    const message = `${node.task?.fn ?? 'a task'} is set apart: ${reason}`
    const failure = { code: 'TASK_POISONOUS', message, member: self, tries: crashes.length + holders.length }
    if (frame.state === 'ready') job.ready.dropped()
    job.held.delete(node)
    job.closed(frame)
    node.frame = undefined
    this.#news(job, 'entry', node.path)
    const given = job.votesNeeded === 1 ? NOTHING_SHARED : givenTo(job, node)
    this.settle(job, this.#entry(job, node.path, { failure }, frame.shared, { given, spawned: frame.spawned }), self)
  }

  /** Fails a job that can't go on. */
  fail(job: Job, code: string, message: string, stack?: string): void {
    const failure = { code, message, member: this.#context.self, tries: 1, ...(stack === undefined ? {} : { stack }) }
    this.#news(job, 'entry', '')
    this.settle(
      job,
      this.#entry(job, '', { failure }, job.votesNeeded === 1 ? job.shared : NOTHING_SHARED, newFrame(0)),
      this.#context.self,
    )
  }

  /** Stops all work on it. */
  stop(job: Job): void {
    // The member that cancelled it waits for this.
    const waiters = [...(job.tree.root.waiters ?? [])]
    this.#release(job, job.tree.root)
    job.tree.root.children = undefined
    for (const to of waiters) if (to !== this.#context.self) this.#context.send(to, { type: 'unknown', job: job.id, paths: [ROOT] })
  }

  /** Ends it without an outcome. */
  end(job: Job): void {
    this.stop(job)
    this.#end(job, undefined)
  }

  /** Gives a job that is over another outcome. */
  endOtherwise(job: Job, entry: Entry): void {
    job.tree.cover(job.tree.root, entry)
    job.join(entry.shared)
    this.#news(job, 'entry', ROOT)
    this.#end(job, entry)
  }

  offered(job: Job, shared: Shared): void {
    if (job.votesNeeded === 1) this.#improve(job, shared)
  }

  /**
   * `elected`: the elected entry with these values, if the job is voted on. Then its frames receive
   * nothing new.
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
   * A repeated frame begins with its last children, since the other half of a cut pool works on the
   * first ones. Simulated, 20 members, cut for 30 of 90 s: 3.9 % of the work is done twice, where
   * the same order gives 18.5 % (one wide task); 8.3 % where it gives 11 % (a tree).
   */
  #ordered({ replay }: Frame, children: readonly Spawn[]): readonly Spawn[] {
    return replay ? children.toReversed() : children
  }

  /** A frame called for this child. Another member may hold it already. */
  #place(job: Job, node: TaskNode, asked: Map<MemberId, Path[]>): void {
    const holder = [...(node.claims ?? [])].find(([member, { second }]) => member !== this.#context.self && !second)?.[0]
    if (holder === undefined || job.credit.hasLost(holder)) {
      const poison = poisonOf(this.#context, job, node)
      node.frame = newFrame(this.#context.now)
      job.ready.push(node)
      if (poison !== undefined) this.setApart(job, node, poison)
      return
    }
    job.await(node, holder, this.#context.now)
    const paths = asked.get(holder)
    if (paths === undefined) asked.set(holder, [node.path])
    else paths.push(node.path)
  }

  #deliver(job: Job, node: TaskNode, entry: Entry): void {
    node.wanted = false
    const parent = node.parent as TaskNode
    const { frame } = parent
    if (frame?.state !== 'running') return
    frame.settled++
    const size = node.inputSize
    frame.openBytes -= size
    job.openBytes -= size
    const united = uniteShared(frame.shared, entry.shared)
    if (united === undefined) {
      this.fail(job, SHARED_TOO_LARGE, sharedAdvice)
      return
    }
    frame.shared = united
    const { slot } = frame
    this.#workers.sent(slot)
    this.#context.effects.push({
      type: 'deliver',
      slot,
      job: job.id,
      path: parent.path,
      step: node.step,
      outcome: entry.outcome,
      shared: entry.shared,
    })
  }

  /** A task is covered: ends all work on it and below it. Returns the members to notify. */
  #release(job: Job, node: TaskNode): Set<MemberId> {
    const { self } = this.#context
    const told = new Set<MemberId>()
    for (const each of job.tree.within(node)) {
      if (each.frame !== undefined) this.drop(job, each)
      if (each.holder !== undefined) {
        told.add(each.holder)
        job.unawait(each, 'passed on')
      }
      if (each.waiters !== undefined) for (const waiter of each.waiters) told.add(waiter)
      each.waiters = undefined
      if (each.claims !== undefined) {
        for (const holder of each.claims.keys()) {
          told.add(holder)
          job.unclaim(each, holder)
        }
      }
    }
    told.delete(self)
    return told
  }

  /**
   * Drops the children that frames of this member called for, but not the tasks that it holds for
   * others.
   */
  #dropBelow(job: Job, node: TaskNode): void {
    for (const child of node.children?.values() ?? []) {
      child.wanted = false
      job.unawait(child, 'passed on')
      if (child.frame?.claimed === true) continue
      if (child.frame !== undefined) this.drop(job, child)
      this.#dropBelow(job, child)
    }
  }

  /** Drops a frame of this member. */
  drop(job: Job, node: TaskNode): void {
    const frame = node.frame as Frame
    if (frame.state === 'ready') job.ready.dropped()
    if (frame.state === 'running') this.#context.effects.push({ type: 'forget', slot: frame.slot, job: job.id, path: node.path })
    this.#close(job, node)
  }

  /** Adds the place to a failure, unless it is passed on from a child. */
  #placed(node: TaskNode, outcome: Outcome): Outcome {
    if (!('failure' in outcome) || outcome.failure.member !== '') return outcome
    return { failure: { ...outcome.failure, member: this.#context.self, tries: 1 + (node.tries?.crashes.length ?? 0) } }
  }

  /** Removes a frame that is neither in the deque nor at a worker. */
  #close(job: Job, node: TaskNode): void {
    const { claimed } = node.frame as Frame
    job.closed(node.frame as Frame)
    node.frame = undefined
    if (claimed) {
      job.held.delete(node)
      this.#news(job, 'dropped', node.path)
    }
  }

  /**
   * Two outcomes for one path. An honest program can give them only if a shared value pruned it
   * differently.
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
    if (kept !== known) job.tree.cover(node, { ...kept, shared: joinShared(known.shared, other.shared) })
    if (known.shared.size > 0 || other.shared.size > 0) return
    const message = `two members gave different values for the same input of ${node.task?.fn ?? 'a task'}; the programs' one rule is: same input, same value`
    this.#context.effects.push({ type: 'warning', job: job.id, code: 'TASK_UNREPEATABLE', message })
  }

  #tooWide(job: Job, node: TaskNode): void {
    const { openChildren } = this.#context.config
    const wide = depthOf(node.path) < MAX_DEPTH
    this.fail(
      job,
      'JOB_TOO_WIDE',
      wide
        ? `${node.task?.fn ?? 'a task'} has ${openChildren} children that wait; a space cuts as many indices as you like into pieces`
        : `${node.task?.fn ?? 'a task'} spawns more than ${MAX_DEPTH} levels deep`,
    )
  }

  #end(job: Job, entry: Entry | undefined): void {
    if (job.ended !== 'done') job.endedAt = this.#context.now
    job.ended = entry === undefined ? 'cancelled' : 'done'
    job.release()
    this.#context.active.delete(job)
    this.#context.attended.delete(job)
    this.#context.untold.add(job)
    this.#queue.changed(job)
    this.#context.effects.push({ type: 'ended', job: job.id, entry })
  }

  #news(job: Job, type: 'entry' | 'claim' | 'dropped', path: Path): void {
    job.news.push({ type, path })
  }
}

const coverageAdvice = 'what its tasks gave takes more than 64 MiB; do more in one task, or unite values with a space'
const openAdvice = 'the inputs of tasks that wait take more than 64 MiB; hand large data in as a blob, or spawn fewer at once'
const sharedAdvice = 'its shared values take more than 2 MiB; offer less, or fewer'
const NO_INPUT = new Uint8Array()
