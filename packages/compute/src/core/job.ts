import { joinShared, NOTHING_SHARED, type Shared } from './shared-value.ts'
import type { Entry } from './entry.ts'
import type { JobId, JobSpec, MemberId, Message, Milliseconds, Totals, Work } from './io.ts'
import { ROOT, type Path } from './path.ts'
import { ReadyDeque } from './ready-deque.ts'
import { TaskTree, type Frame, type TaskNode } from './task-tree.ts'
import { Fitness } from './fitness.ts'
import { isNone, joinTries, NO_TRIES, type Tries } from './tries.ts'
import { Trust, type Ending } from './trust.ts'

/** What replicas are to be told: that a task is covered, that it is held here, or not any more; what it did to those that ran it; or only what each report tells of this member's work. */
export type News = { readonly type: 'entry' | 'claim' | 'dropped' | 'tried' | 'work'; readonly path: Path }

/** How far a replica was told. */
export interface ReplicaProgress {
  /** Index of the first news that it has not noted; -1: it is to be told everything. */
  noted: number
  /** Index after the last news that was sent. */
  sent: number
  sentAt: Milliseconds
  /** How long its answer may take before it is told again (as TCP's retransmission time-out). */
  retransmitAfter: Milliseconds
  number: number
  /** What was covered when it came, and is not told yet; a page of it is on its way. */
  backlog: Path[] | undefined
  page: number
  /** It has not noted anything yet: it is told all that is held here. */
  isNew: boolean
}

/** Functions whose times are kept. A guess: programs have few. */
export const MAX_KINDS = 16

/** One job, at this member. */
export class Job {
  readonly id: JobId
  spec: JobSpec
  readonly tree = new TaskTree()
  readonly ready = new ReadyDeque()
  /** Tasks that others hold and this member waits for. */
  readonly awaited = new Set<TaskNode>()
  /** Tasks that this member holds and others don't know to be here. */
  readonly held = new Set<TaskNode>()
  /** Nodes with claims, by holder. */
  readonly claims = new Map<MemberId, Set<TaskNode>>()
  shared: Shared = NOTHING_SHARED
  /** Of a job that is voted on: the elected entries that its shared values are from, by their names. */
  readonly proofs = new Map<string, Entry>()
  /** Grows as `shared` improves. */
  sharedVersion = 0
  /** News for the replicas; those before `newsStart` are forgotten. */
  news: News[] = []
  newsStart = 0
  readonly replicas = new Map<MemberId, ReplicaProgress>()
  /** All replicas, this member included, and the view that they follow from. */
  followed: readonly MemberId[] = []
  replicasVersion = -1
  /** Since when this member has taken each for a replica, and which of them tells new ones what there is. */
  readonly followedSince = new Map<MemberId, Milliseconds>()
  source: MemberId | undefined
  /** All replicas by the present view; the first one keeps the root. */
  keepers: readonly MemberId[] = []
  keepersVersion = -1
  /** Until then what this member hears is told to the other replicas as well: it has just told a new one all it had. */
  passesOnUntil: Milliseconds = 0
  /** Members whose word on some task was another one than that of enough others. */
  readonly outvoted = new Set<MemberId>()
  readonly trust = new Trust()
  /** Bytes of the inputs of children that wait, of all frames here. */
  openBytes = 0
  readonly fitness = new Fitness()
  /** Tasks that did something to those that ran them. */
  readonly tried = new Set<TaskNode>()
  /** Some of them ended containers. */
  hasCrashes = false
  /** Tasks that ended too many containers here, and until when they are left to others, with what the last one said. */
  readonly left = new Map<TaskNode, { readonly until: Milliseconds; readonly reason: string }>()
  /** Replicas are to be told at once. */
  isUrgent = false
  /** This member takes no tasks of it for a while: its machine can't run the program. */
  isStopped = false
  /** Why the program does not run here, since it ran last. */
  unfit: { readonly code: string; readonly reason: string; readonly stack?: string } | undefined
  ended: 'done' | 'cancelled' | undefined
  /** When this member first had an outcome, or no hope of one. */
  endedAt: Milliseconds = -Infinity
  /** How often another outcome took the place of its root's after it was over, and whether it was said that there is another. */
  changes = 0
  isDisputed = false
  readonly work: { begun: number; finished: number; ran: Milliseconds } = { begun: 0, finished: 0, ran: 0 }
  /** By function the longest that one of its tasks kept a worker here busy. */
  readonly longest = new Map<string, Milliseconds>()
  /** What others reported of their work. */
  readonly works = new Map<MemberId, Work>()
  /** Another member, asked for its root, said that it is not over there. */
  isOpenElsewhere = false
  /** Somebody here asks how it goes; what a replica answered last. */
  watched = false
  askAgainAfter: Milliseconds | undefined
  progress = 0
  totals: Totals | undefined
  /** How long its tasks keep a worker busy, ms: a moving average; undefined before the first. */
  taskTime: Milliseconds | undefined

  /** When this member heard of it. */
  readonly since: Milliseconds

  constructor(spec: JobSpec, since: Milliseconds) {
    this.id = spec.id
    this.since = since
    this.spec = spec
  }

  get runs(): boolean {
    return this.ended === undefined && this.spec.wish === 'run'
  }

  /** Something of it goes on here, is awaited, or is known to go on elsewhere. */
  get hasPart(): boolean {
    return this.held.size + this.ready.size + this.awaited.size + this.claims.size > 0 || this.isStopped || this.watched
  }

  get votesNeeded(): number {
    return this.spec.votes ?? 1
  }

  get entry(): Entry | undefined {
    return this.tree.root.entry
  }

  /** It is over: what was kept for its tasks goes. Replicas are still to hear of its root. */
  release(): void {
    this.ready.clear()
    this.awaited.clear()
    this.held.clear()
    this.claims.clear()
    this.tried.clear()
    this.left.clear()
    this.proofs.clear()
    this.newsStart += this.news.length
    this.news = [{ type: 'entry', path: ROOT }]
    for (const progress of this.replicas.values()) progress.backlog = undefined
    const { root } = this.tree
    root.task = undefined
    root.tries = undefined
    this.spec = { ...this.spec, input: undefined }
  }

  /** True if it improves what is known. */
  join(shared: Shared): boolean {
    const joined = joinShared(this.shared, shared)
    if (joined === this.shared) return false
    this.shared = joined
    this.sharedVersion++
    return true
  }

  /** A task of this function kept a worker here busy for so long. */
  took(fn: string, ran: Milliseconds): void {
    const longest = this.longest.get(fn)
    if (longest === undefined ? this.longest.size < MAX_KINDS : ran > longest) this.longest.set(fn, ran)
  }

  /** The longest that a task of this function took at other members than these, ms. */
  longestOf(fn: string, self: MemberId, holders: { has(member: MemberId): boolean }): Milliseconds {
    let longest = holders.has(self) ? 0 : (this.longest.get(fn) ?? 0)
    for (const [member, { longest: times = [] }] of this.works) {
      if (member === self || holders.has(member)) continue
      for (const [name, time] of times) if (name === fn) longest = Math.max(longest, time)
    }
    return longest
  }

  /** What this member, and those who reported to it, did; or what a replica said of that, if it knew of more. */
  totalsAt(self: MemberId): Totals {
    let { begun, finished, ran } = this.work
    let members = begun > 0 ? 1 : 0
    for (const [member, work] of this.works) {
      if (member === self) continue
      begun += work.begun
      finished += work.finished
      ran += work.ran
      if (work.begun > 0) members++
    }
    return this.totals !== undefined && this.totals.begun > begun ? this.totals : { begun, finished, ran, members }
  }

  /** From now on this task is another member's, and this one waits for it. */
  await(node: TaskNode, holder: MemberId, now: Milliseconds): void {
    this.unawait(node, 'passed on')
    node.holder = holder
    node.heldAt = now
    node.awaitedSince = now
    this.awaited.add(node)
    this.trust.began(holder)
  }

  /** Something of a task went on at its holder: it comes after those of which nothing did. */
  progressed(node: TaskNode, now: Milliseconds): void {
    node.awaitedSince = now
    this.awaited.delete(node)
    this.awaited.add(node)
  }

  unawait(node: TaskNode, how: Ending): void {
    if (node.holder === undefined) return
    this.trust.ended(node.holder, how)
    node.holder = undefined
    this.awaited.delete(node)
  }

  /** A frame is no more: what it waits for is not its own any more. */
  closed(frame: Frame): void {
    this.openBytes -= frame.openBytes
    frame.openBytes = 0
  }

  /** What is said of a task that did something to those that ran it. */
  tell(node: TaskNode, tries: Tries): void {
    node.tries = joinTries(node.tries ?? NO_TRIES, tries)
    this.tried.add(node)
    this.hasCrashes ||= node.tries.crashes.length > 0
  }

  /** A task is covered, which speaks for those above it as well: whoever held them was lost for another reason. */
  cleared(node: TaskNode): void {
    if (this.tried.size === 0) return
    for (let above: TaskNode | undefined = node; above !== undefined; above = above.parent) {
      if (above.tries !== undefined && above !== node) above.tries = { crashes: above.tries.crashes, holders: [] }
    }
    for (const each of this.tried) {
      if (each.tries !== undefined && !isNone(each.tries) && this.tree.covering(each.path) === undefined) continue
      each.tries = undefined
      this.tried.delete(each)
    }
  }

  /** Replicas are to know it before the task begins again: who begins it may not live to say so. */
  tellTried(node: TaskNode, isUrgent: boolean): void {
    this.news.push({ type: 'tried', path: node.path })
    this.isUrgent ||= isUrgent
  }

  /** Why the program does not run at a member; undefined: it may. */
  unfitAt(member: MemberId, self: MemberId): string | undefined {
    return member === self ? this.unfit?.reason : this.works.get(member)?.unfit
  }

  claim(node: TaskNode, holder: MemberId): void {
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

/** Tells that a task is covered; of the root with what was done for it. */
export function resultOf(job: Job, entry: Entry, self: MemberId): Message {
  const result = { type: 'result', job: job.id, entries: [entry] } as const
  return entry.path === ROOT ? { ...result, totals: job.totalsAt(self) } : result
}
