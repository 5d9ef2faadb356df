import type { SchedulerConfig } from './config.ts'
import type { Context } from './context.ts'
import type { Task } from './entry.ts'
import type { Execution } from './execution.ts'
import type { MemberId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Grant, Message } from './messages.ts'
import type { PartitionMerge } from './partition-merge.ts'
import { ROOT } from './path.ts'
import { savedFor } from './saves.ts'
import type { TaskNode } from './task-node.ts'
import { mayVote } from './votes.ts'

/** A task may take this multiple of the longest time of its function. A guess. */
const LONGEST_FACTOR = 1.5
/** Limit while no task of the job has ended and the usual time is unknown, ms. A guess. */
const UNKNOWN = 60_000
/**
 * For this long, ms, idle members steal from the holder of overdue tasks before a replica gives out
 * these tasks. A guess: a holder may have many older tasks to give.
 */
const STEAL_FIRST = 60_000

/**
 * Speculative execution (the backup tasks of MapReduce; eager scheduling of Charlotte and Javelin):
 * a member without work executes an overdue task a second time.
 *
 * First it repeats tasks that it awaits itself. This needs no replica, so it also works against
 * holders that claim nothing and against hostile replicas. Such a task may be a parent, so it gets
 * the limit of a parent. If no such task is overdue, the member asks a replica. A replica knows
 * whether a task is a leaf, and finds stragglers ten times as early. Simulated: if one of 12
 * members holds tasks and does nothing, a job takes 77 to 93 s with both methods, and 165 to 202 s
 * with replicas alone. If 16 of 64 members are fifty times as slow, a job takes 16 s with both
 * methods, and 50 s without replicas.
 */
export class SpeculativeExecution {
  readonly #context: Context
  readonly #execution: Execution
  readonly #merge: PartitionMerge
  #soughtAt: Milliseconds = -Infinity
  /** Number of replicas asked since this member ran out of work. */
  #inVain = 0

  constructor(context: Context, execution: Execution, merge: PartitionMerge) {
    this.#context = context
    this.#execution = execution
    this.#merge = merge
  }

  /** This member has no work from now on. */
  begin(): void {
    this.#inVain = 0
  }

  /** Returns when a member without work since `idleSince` looks for an overdue task. */
  dueAt(idleSince: Milliseconds): Milliseconds {
    return Math.max(idleSince, this.#soughtAt) + this.#context.config.eagerAfter
  }

  /**
   * Repeats overdue tasks that this member awaits. If there are none, returns the replica to ask
   * for an overdue task.
   */
  seek(jobs: readonly Job[]): MemberId | undefined {
    const { now } = this.#context
    this.#soughtAt = now
    // Asks the first replica first, so that no two replicas give out the same task. Then asks the
    // others, since the first replica may refuse on purpose.
    const replicas = this.#context.replicas(jobs[0] as Job)
    const replica = replicas[this.#inVain++ % Math.max(1, replicas.length)]
    return jobs.some((job) => this.#repeatAwaited(job)) ? undefined : replica
  }

  /** As a replica, answers a member without work. */
  asked(from: MemberId, { request, jobs }: Extract<Message, { type: 'idle' }>): void {
    const known = jobs.map((id) => this.#context.jobs.get(id))
    const ended = jobs.filter((_, at) => known[at]?.ended !== undefined)
    const answer = { type: 'work', request, left: 0, ended } as const
    let [overdue, rich]: [Overdue?, Rich?] = []
    if (!this.#merge.isRecent) {
      for (const job of known) {
        if (job?.runs !== true || overdue !== undefined) continue
        const found = this.#overdueFor(from, job)
        overdue = found.overdue
        rich ??= found.rich
      }
    }
    if (overdue !== undefined || rich === undefined)
      this.#context.send(from, { ...answer, tasks: overdue === undefined ? [] : [this.#repeat(from, overdue)] })
    else this.#context.send(from, { ...answer, tasks: [], hint: this.#named(rich) })
  }

  /**
   * Checks the task that made no progress for longest. If it is overdue, its holder does nothing or
   * is too slow. Then this member repeats all tasks of this holder. Returns false if the task is
   * not overdue.
   */
  #repeatAwaited(job: Job): boolean {
    const { now, config, self } = this.#context
    const oldest = [...job.awaited].find(({ task }) => task !== undefined)
    if (oldest === undefined) return false
    const holder = oldest.holder as MemberId
    // This member does not know whether the task is a parent at its holder.
    const kind = { mean: job.work.taskTime, longest: job.work.longestOf(oldest.task?.fn ?? '', self, new Set([holder])) }
    if (now - oldest.awaitedSince < overdueAfter(config, kind, true)) return false
    for (const node of job.awaited) {
      const { task } = node
      if (node.holder !== holder || task === undefined) continue
      node.deny(holder)
      job.endWait(node, 'lost')
      this.#execution.open(job, node, task, { claimed: !node.wanted, second: true, replay: true })
    }
    return true
  }

  /**
   * As a replica, returns the overdue task without progress for longest. If tasks wait at the
   * holder of an overdue task, returns the holder instead.
   */
  #overdueFor(from: MemberId, job: Job): { readonly overdue?: Overdue | undefined; readonly rich?: Rich | undefined } {
    const { self, now, config } = this.#context
    const { ran, finished } = job.work.totalsAt(self)
    const mean = finished === 0 ? undefined : ran / finished
    // Most tasks fail the shortest limit, so the other tests seldom run.
    const least = overdueAfter(config, { mean, longest: 0 }, false)
    let oldest: (Overdue & { since: Milliseconds }) | undefined
    let rich: Rich | undefined
    for (const nodes of job.claims.values()) {
      for (const node of nodes) {
        const { claims, frame } = node
        const since = leftAloneSince(node, now, config.eagerInnerFactor * (mean ?? 0))
        if (now - since < least || since >= (oldest?.since ?? Infinity)) continue
        // A task of this member itself has no claim here. Other replicas judge it.
        if (claims === undefined || frame !== undefined || claims.has(from) || !mayVote(job, node, from)) continue
        const [claim] = claims.values()
        const task = node.path === ROOT ? job.rootTask : (node.task ?? claim?.task)
        if (claim === undefined || task === undefined) continue
        // Each further holder only doubles the limit, since anybody may claim a task and do
        // nothing.
        const kind = { mean, longest: job.work.longestOf(task.fn, self, claims) }
        const after = overdueAfter(config, kind, isHeldBelow(node)) * 2 ** (claims.size - 1)
        if (now - since < after) continue
        const holder = [...claims.keys()].find((id) => this.#isRich(job, id))
        if (holder === undefined) oldest = { job, node, task, since }
        else rich ??= { job, holder }
      }
    }
    return { overdue: oldest, rich }
  }

  /**
   * Whether tasks wait at a holder of an overdue task. This task or its parts may be among them. If
   * the idle member steals them, no member does them twice. A holder much slower than the mean does
   * not count, since it would keep the last part. Where members vote, the waiting tasks may be only
   * for other members. A dishonest holder that keeps its overdue tasks and gives other tasks gains
   * a minute.
   */
  #isRich(job: Job, holder: MemberId): boolean {
    const { now, config, self } = this.#context
    const { waiting = 0, ran = 0, finished = 0 } = job.work.others.get(holder) ?? {}
    if (waiting === 0 || job.votesNeeded > 1) return false
    const all = job.work.totalsAt(self)
    if (ran * all.finished >= config.eagerFactor * all.ran * finished) return false
    const named = job.recommended.get(holder)
    return named === undefined || now - named.since <= STEAL_FIRST || now - named.latest > STEAL_FIRST
  }

  /** Notes that this replica sends an idle member to a holder. Returns the holder. */
  #named({ job, holder }: Rich): MemberId {
    const { now } = this.#context
    const named = job.recommended.get(holder)
    const isNew = named === undefined || now - named.latest > STEAL_FIRST
    job.recommended.set(holder, { since: isNew ? now : named.since, latest: now })
    return holder
  }

  /** Hands out an overdue task. */
  #repeat(from: MemberId, { job, node, task }: Overdue): Grant {
    const { self, now } = this.#context
    job.claim(node, from, { task, since: now, progress: 0, leaf: true, second: true, by: self })
    node.quietSince ??= now
    return { ...task, job: job.id, replay: true, tries: node.tries?.crashes.length ?? 0, ...node.tries, ...savedFor(job, node) }
  }
}

/** A task without progress. */
interface Overdue {
  readonly job: Job
  readonly node: TaskNode
  readonly task: Task
}

/** A holder of an overdue task, at which tasks of the job wait. */
interface Rich {
  readonly job: Job
  readonly holder: MemberId
}

/** The usual times of a task. */
interface Kind {
  /** The mean of all tasks of the job; undefined if none has ended. */
  readonly mean: Milliseconds | undefined
  /**
   * The longest time of a task of the same function at members other than the holders; 0 if they
   * had none. A task that takes no longer than this is no straggler.
   */
  readonly longest: Milliseconds
}

/**
 * Returns how long a task may be without progress before it is overdue. `isParent`: others hold
 * parts of the task. Each part has a limit of its own.
 */
export function overdueAfter(
  { eagerAfter, eagerFactor, eagerInnerFactor }: SchedulerConfig,
  { mean, longest }: Kind,
  isParent: boolean,
): Milliseconds {
  if (mean === undefined) return UNKNOWN
  // A reported time may be false, so it extends the limit at most to the limit of a parent.
  const leaf = Math.max(eagerAfter, eagerFactor * mean, Math.min(LONGEST_FACTOR * longest, eagerInnerFactor * mean))
  return leaf * (isParent ? eagerInnerFactor / eagerFactor : 1)
}

/** True if another member or this replica holds a task below this task. */
function isHeldBelow(node: TaskNode): boolean {
  for (const child of node.children?.values() ?? [])
    if (child.claims !== undefined || child.frame !== undefined || isHeldBelow(child)) return true
  return false
}

/**
 * Returns the time since which a task made no progress and no second execution of it began. Each
 * second execution gets time of its own. Otherwise all replicas would give out the same task at
 * once. The stated start of a second execution may be false, so it adds at most `most` to the time.
 */
function leftAloneSince({ claims, quietSince }: TaskNode, now: Milliseconds, most: Milliseconds): Milliseconds {
  let latest = quietSince ?? now
  const bound = latest + most
  for (const { second, since } of claims?.values() ?? []) if (second) latest = Math.max(latest, Math.min(since, bound))
  return latest
}
