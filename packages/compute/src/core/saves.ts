import type { Context } from './context.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import { stepsOf, type Path } from './path.ts'
import { MAX_SAVES, savedOf, type KeptState, type SavedState, type SavedTask } from './saved-state.ts'
import type { KnownClaim, TaskNode } from './task-node.ts'

/**
 * Keeps the states that tasks save, here and at other members. Replicas receive them with reports.
 * A task that runs again begins with the latest state that its new holder learns.
 *
 * A member may state what a task saved only while it holds the task, or a task above it. So a
 * forged state harms no more than a forged value. Where members vote, each of them computes a task
 * by itself. So there a state stays at the member that saved it.
 */
export class Saves {
  readonly #context: Context
  /** Jobs of which this member has warned. */
  readonly #full = new WeakSet<Job>()
  /** For each task here that saved, the index of the item of news that tells replicas so. */
  readonly #news = new WeakMap<TaskNode, number>()

  constructor(context: Context) {
    this.#context = context
  }

  /** A task that runs here saved a state. */
  saved(job: Job, path: Path, state: Uint8Array): void {
    const { self } = this.#context
    const node = job.tree.find(path)
    if (node?.frame?.state !== 'running') return
    const number = Math.min(MAX_SAVES, (node.saved?.number ?? 0) + 1)
    if (!this.#keep(job, node, { number, state, by: self }) || job.votesNeeded > 1 || this.#isNews(job, node)) return
    this.#news.set(node, job.reports.end)
    job.reports.add({ type: 'saved', path })
  }

  /** A member reports states of tasks. Takes those of tasks that it claims here. */
  reported(from: MemberId, job: Job, saved: readonly SavedTask[] = []): void {
    for (const each of saved) {
      const claim = claimOn(job, each.path, from)
      if (claim !== undefined) this.#take(from, job, each, !claim.second, job.tree.find(each.path)?.claims?.has(from))
    }
  }

  /** A holder gives tasks back. Takes the states of those for which this member waits. */
  returned(from: MemberId, job: Job, saved: readonly SavedTask[] = []): void {
    for (const each of saved) {
      if (isHeldBy(job, each.path, from)) this.#take(from, job, each, true, job.tree.find(each.path)?.holder === from)
    }
  }

  /** A replica, or the former holder of a task, states what it knows. */
  learned(from: MemberId, job: Job, saved: readonly SavedTask[] = []): void {
    for (const each of saved) this.#take(from, job, each, false)
  }

  /**
   * Returns the states that this member saved of a task and of the tasks below it. The holder of a
   * task that this member gave away knows a later one.
   */
  ownOf(job: Job, node: TaskNode): SavedTask[] {
    if (job.tree.savedBytes === 0 || job.votesNeeded > 1) return []
    return [...job.tree.within(node)].flatMap(({ path, saved, holder }) =>
      saved?.by === this.#context.self && holder === undefined ? [{ path, ...savedOf(saved) }] : [],
    )
  }

  /**
   * Whether the next report tells all replicas that the task saved. A program may save far more
   * often than members report.
   */
  #isNews({ reports }: Job, node: TaskNode): boolean {
    const at = this.#news.get(node) ?? -1
    return at >= reports.newsStart && [...reports.progress.values()].every(({ sent }) => sent <= at)
  }

  /**
   * Takes a state. `isHolder`: the sender holds the task or a task above it. `isOwn`: it holds the
   * task itself, and knows its latest state: a former holder may have stated a higher number. No
   * number is higher than `MAX_SAVES`, so a holder may replace a state that has that number.
   */
  #take(from: MemberId, job: Job, { path, number, state }: SavedTask, isHolder: boolean, isOwn = false): void {
    if (job.ended !== undefined || job.votesNeeded > 1 || job.tree.entryFor(path) !== undefined) return
    const known = job.tree.find(path)?.saved
    if (known !== undefined && number <= known.number) {
      const isAnother = isOwn && from !== known.by
      if (!isHolder || !(isAnother || number === MAX_SAVES)) return
    }
    const node = this.#context.quota.node(job, path, from, Math.max(0, state.length - (known?.state.length ?? 0)))
    if (node !== undefined) this.#keep(job, node, { number, state, by: from })
  }

  /** Keeps a state if the job has room. Otherwise the earlier state of the task stays. */
  #keep(job: Job, node: TaskNode, saved: KeptState): boolean {
    const { config, effects } = this.#context
    const excess = job.tree.savedBytes + saved.state.length - (node.saved?.state.length ?? 0) - config.savedBytes
    const hasRoom = excess <= 0
    if (!hasRoom) {
      const message = `the saved states of its tasks take more than ${config.savedBytes / 2 ** 20} MiB; a task that runs again may begin with an earlier state`
      if (!this.#full.has(job)) effects.push({ type: 'warning', job: job.id, code: 'SAVED_STATES_FULL', message })
      this.#full.add(job)
    }
    if (!hasRoom && !this.#makeRoom(job, node, saved, excess)) return false
    job.tree.save(node, saved)
    return true
  }

  /**
   * Drops states of the member that stated the most bytes, so that no member takes the room of the
   * others. Own states always have room. Returns false if the member itself has the most.
   */
  #makeRoom({ tree }: Job, node: TaskNode, { by, state }: KeptState, excess: number): boolean {
    const { self } = this.#context
    const own = (tree.savedBy.get(by) ?? 0) + state.length - (node.saved?.by === by ? node.saved.state.length : 0)
    let [largest, most] = [undefined as MemberId | undefined, by === self ? 0 : own]
    for (const [member, bytes] of tree.savedBy) if (member !== self && member !== by && bytes > most) [largest, most] = [member, bytes]
    if (largest === undefined || (by !== self && excess > most)) return by === self
    let left = excess
    for (const each of tree.within(tree.root)) {
      if (left <= 0) break
      if (each === node || each.saved?.by !== largest) continue
      left -= each.saved.state.length
      tree.save(each, undefined)
    }
    return left <= 0 || by === self
  }
}

/** Returns the saved state of a task for its next holder. */
export function savedFor(job: Job, { saved }: TaskNode): { readonly saved?: SavedState } {
  return saved === undefined || job.votesNeeded > 1 ? {} : { saved: savedOf(saved) }
}

/** Returns the claim of a member on a task, or on a task above it. */
function claimOn(job: Job, path: Path, member: MemberId): KnownClaim | undefined {
  let claim: KnownClaim | undefined
  someAbove(job, path, ({ claims }) => (claim = claims?.get(member)) !== undefined)
  return claim
}

/** Whether this member waits for a member to do a task, or a task above it. */
function isHeldBy(job: Job, path: Path, member: MemberId): boolean {
  return someAbove(job, path, ({ holder }) => holder === member)
}

/** Whether a task, or a known task above it, passes a test. */
function someAbove(job: Job, path: Path, test: (node: TaskNode) => boolean): boolean {
  let node: TaskNode | undefined = job.tree.root
  if (test(node)) return true
  for (const step of stepsOf(path)) {
    node = node.children?.get(step)
    if (node === undefined) return false
    if (test(node)) return true
  }
  return false
}
