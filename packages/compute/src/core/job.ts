import { joinShared, NOTHING_SHARED, type Shared } from './shared-value.ts'
import type { Entry, Task } from './entry.ts'
import type { JobId, JobSpec, MemberId, Milliseconds } from './io.ts'
import type { Message } from './messages.ts'
import { OpenFrames } from './open-frames.ts'
import { ROOT } from './path.ts'
import { ReadyDeque } from './ready-deque.ts'
import type { KnownClaim, TaskNode } from './task-node.ts'
import { TaskTree } from './task-tree.ts'
import { Credit, type Ending } from './credit.ts'
import { JobFailures } from './job-failures.ts'
import { JobWork } from './job-work.ts'
import { ReportState } from './report-state.ts'

/** One job, at this member. */
export class Job {
  readonly id: JobId
  spec: JobSpec
  readonly tree = new TaskTree()
  readonly ready = new ReadyDeque()

  // Tasks and their holders.
  /** Tasks that others hold and this member waits for. */
  readonly awaited = new Set<TaskNode>()
  /**
   * Tasks that this member claims. Each of them came here from another member, or is the root.
   */
  readonly held = new Set<TaskNode>()
  /** For each holder the tasks that it claims. */
  readonly claims = new Map<MemberId, Set<TaskNode>>()

  // Shared values.
  shared: Shared = NOTHING_SHARED
  /**
   * For each name of a shared value, the entry that set the value. Members elected the entry by
   * their votes. The map is empty if members do not vote on the job's tasks.
   */
  readonly proofs = new Map<string, Entry>()
  /** Grows as `shared` improves. */
  sharedVersion = 0

  // Replicas.
  /**
   * The replicas of the job in the latest view, which has version `replicasVersion`. The first
   * replica runs the root. Parts call `replicas` of the context, which brings them up to date.
   */
  replicas: readonly MemberId[] = []
  replicasVersion = -1
  readonly reports = new ReportState()

  // Trust in members, and limits.
  /** Members that voted against the elected outcome of a task, or for two outcomes of a task. */
  readonly outvoted = new Set<MemberId>()
  readonly credit = new Credit()
  readonly open = new OpenFrames()

  // Work stealing.
  /**
   * The near member and the far member that gave tasks last, if they had many more. Often only the
   * holder of a task with many children has tasks to give.
   */
  generous: { near?: MemberId | undefined; far?: MemberId | undefined } = {}

  /** For each holder, when this replica first and last sent an idle member to it. */
  readonly recommended = new Map<MemberId, { readonly since: Milliseconds; readonly latest: Milliseconds }>()

  readonly failures = new JobFailures(this.tree)

  // The end.
  ended: 'done' | 'cancelled' | undefined
  /** Time when this member first had the outcome, or ended the job without one. */
  endedAt: Milliseconds = -Infinity
  /** Its outcome is from the disk of this member, and no other outcome replaces it. */
  isFinal = false
  /**
   * Number of times that the root got another outcome after the end. `isDisputed`: this member has
   * warned of different results.
   */
  changes = 0
  isDisputed = false

  // Progress.
  readonly work = new JobWork()
  /** Another member said that the job still runs there. */
  isOpenElsewhere = false
  /**
   * An application here follows the job's progress until this time. `progress`: the latest figure
   * from a replica.
   */
  watchedUntil: Milliseconds = -Infinity
  askAgainAfter: Milliseconds | undefined
  progress = 0
  /** Time when this member first received the job. */
  readonly since: Milliseconds

  constructor(spec: JobSpec, since: Milliseconds) {
    this.id = spec.id
    this.since = since
    this.spec = spec
  }

  get runs(): boolean {
    return this.ended === undefined && this.spec.desired === 'run'
  }

  /**
   * Whether this member must attend to the job. It must if a task of the job runs here or waits
   * here, or if this member awaits a task that another member holds. It also must while it takes no
   * tasks of the job, so that this pause ends, and while an application here follows the job.
   */
  get hasPart(): boolean {
    return this.held.size + this.ready.size + this.awaited.size > 0 || this.failures.isStopped || this.isWatched
  }

  get isWatched(): boolean {
    return this.watchedUntil !== -Infinity
  }

  get votesNeeded(): number {
    return this.spec.votes ?? 1
  }

  get entry(): Entry | undefined {
    return this.tree.root.entry
  }

  /**
   * The task of the root; undefined until its input arrives. It comes from the job's record, never
   * from a message. Otherwise one member could choose the result of a job whose tasks members vote
   * on.
   */
  get rootTask(): Task | undefined {
    const { fn, input } = this.spec
    return input === undefined ? undefined : { path: ROOT, fn, input }
  }

  /**
   * The job is over: frees the state of its tasks. Replicas must still receive the outcome of its
   * root.
   */
  release(): void {
    this.ready.clear()
    this.awaited.clear()
    this.held.clear()
    this.claims.clear()
    this.proofs.clear()
    this.generous = {}
    this.reports.release()
    this.failures.release()
    const { root } = this.tree
    root.task = undefined
    root.tries = undefined
    this.spec = { ...this.spec, input: undefined }
  }

  /** Returns true if this improves the known values. */
  join(shared: Shared): boolean {
    const joined = joinShared(this.shared, shared)
    if (joined === this.shared) return false
    this.shared = joined
    this.sharedVersion++
    return true
  }

  /** Notes that another member holds this task, and that this member waits for the outcome. */
  beginWait(node: TaskNode, holder: MemberId, now: Milliseconds, namedBy?: MemberId): void {
    this.endWait(node, 'passed on')
    node.holder = holder
    node.namedBy = namedBy
    node.heldAt = now
    node.awaitedSince = now
    this.awaited.add(node)
    this.credit.began(holder)
    if (namedBy !== undefined && namedBy !== holder) this.credit.began(namedBy)
  }

  /** The holder has the task, so it alone is to blame from now on. */
  confirmed(node: TaskNode): void {
    const { holder, namedBy } = node
    if (namedBy !== undefined && namedBy !== holder) this.credit.ended(namedBy, 'passed on')
    node.namedBy = holder
  }

  /**
   * The holder made progress. Moves the task to the end of `awaited`, which is in the order of the
   * latest progress.
   */
  progressed(node: TaskNode, now: Milliseconds): void {
    node.awaitedSince = now
    this.awaited.delete(node)
    this.awaited.add(node)
  }

  /** This member no longer waits for the holder of a task. */
  endWait(node: TaskNode, how: Ending): void {
    const { holder, namedBy } = node
    if (holder === undefined) return
    // If `namedBy` is another member, the holder never confirmed the task. So the holder is not to
    // blame. The task still counts against the credit of `namedBy`.
    if (how === 'dropped' && namedBy !== holder) this.credit.ended(holder, 'passed on')
    else {
      this.confirmed(node)
      this.credit.ended(holder, how)
    }
    node.holder = undefined
    node.namedBy = undefined
    this.awaited.delete(node)
  }

  /**
   * Reports the tries to replicas. The replicas must know the tries before the task begins again,
   * because the next holder may die with the task.
   */
  reportTries(node: TaskNode, isUrgent: boolean): void {
    this.reports.add({ type: 'tried', path: node.path })
    this.reports.isUrgent ||= isUrgent
  }

  /** Returns the reason why the program does not run at a member; undefined: it may run there. */
  unfitAt(member: MemberId, self: MemberId): string | undefined {
    return member === self ? this.failures.unfit?.reason : this.work.others.get(member)?.unfit
  }

  /** Returns the reason why a member does not run the job; undefined: it may run there. */
  refusalAt(member: MemberId, self: MemberId): string | undefined {
    const noRoom = member === self ? this.spec.noRoom : this.work.others.get(member)?.noRoom
    return this.unfitAt(member, self) ?? noRoom
  }

  /** A member claims to hold a task. */
  claim(node: TaskNode, holder: MemberId, claim: KnownClaim): void {
    node.claims = (node.claims ?? new Map<MemberId, KnownClaim>()).set(holder, claim)
    let nodes = this.claims.get(holder)
    if (nodes === undefined) this.claims.set(holder, (nodes = new Set()))
    nodes.add(node)
  }

  unclaim(node: TaskNode, holder: MemberId): void {
    if (node.claims?.delete(holder) !== true) return
    if (node.claims.size === 0) node.claims = undefined
    const nodes = this.claims.get(holder)
    nodes?.delete(node)
    if (nodes?.size === 0) this.claims.delete(holder)
  }
}

/** Builds the message that a task has an outcome. For the root it includes the totals. */
export function resultOf(job: Job, entry: Entry, self: MemberId): Message {
  const result = { type: 'result', job: job.id, entries: [entry] } as const
  return entry.path === ROOT ? { ...result, totals: job.work.totalsAt(self) } : result
}
