import type { Context } from './context.ts'
import { entryBytes, type Entry, type Task } from './entry.ts'
import type { Claim, JobId, MemberId, Milliseconds } from './io.ts'
import type { Job, ReplicaProgress } from './job.ts'
import type { Path } from './path.ts'
import { progressOf } from './supervision.ts'

/** Bytes of values in one report; what is left goes with the next. A guess: some milliseconds of a slow line. */
const REPORT_BYTES = 512 * 1024

/**
 * Each second a member with news tells the replicas of a job what it completed, and what it holds. A task that came and went within that second is
 * told as one entry, or, where its parent ended as well, not at all. A replica that is new is told everything.
 */
export class Reports {
  readonly #context: Context
  readonly #due = new Map<JobId, Milliseconds>()

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    let due = Infinity
    for (const at of this.#due.values()) due = Math.min(due, at)
    return due
  }

  /** Tells at once: a member that outlived another's death says what it has before anything is done again. */
  flush(): void {
    for (const job of this.#context.jobs.values()) if (this.#hasNews(job)) this.#due.set(job.id, this.#context.now)
  }

  turn(): void {
    const { now, jobs, members, config } = this.#context
    for (const job of jobs.values()) {
      if (job.replicasVersion !== members.version) this.#follow(job)
      const due = this.#due.get(job.id)
      if (due !== undefined && due <= now) {
        this.#due.delete(job.id)
        this.#tell(job)
      }
      if (!this.#due.has(job.id) && this.#hasNews(job)) this.#due.set(job.id, this.#isUntold(job) ? now : now + config.reportEvery)
    }
  }

  noted(from: MemberId, job: Job, number: number): void {
    const progress = job.replicas.get(from)
    if (progress === undefined || progress.number !== number) return
    progress.noted = progress.sent
    progress.sentAt = -Infinity
    this.#trim(job)
  }

  forget(job: JobId): void {
    this.#due.delete(job)
  }

  /** Compares those who are told with those who are to be. */
  #follow(job: Job): void {
    const { self, members } = this.#context
    job.replicasVersion = members.version
    const keepers = this.#context.keepers(job)
    for (const id of job.replicas.keys()) if (!keepers.includes(id)) job.replicas.delete(id)
    for (const id of keepers)
      if (id !== self && !job.replicas.has(id)) job.replicas.set(id, { noted: -1, sent: -1, sentAt: -Infinity, number: 0 })
  }

  #hasNews(job: Job): boolean {
    const end = job.newsStart + job.news.length
    for (const { noted } of job.replicas.values()) if (noted < end && (noted >= 0 || this.#hasAny(job))) return true
    return false
  }

  /** A replica that was told nothing is told at once. */
  #isUntold(job: Job): boolean {
    for (const { noted, sentAt } of job.replicas.values()) if (noted === -1 && sentAt === -Infinity && this.#hasAny(job)) return true
    return false
  }

  #hasAny(job: Job): boolean {
    return job.tree.root.children !== undefined || !job.tree.root.isEmpty
  }

  #tell(job: Job): void {
    const { now, config } = this.#context
    for (const [replica, progress] of job.replicas) {
      const unanswered = progress.sentAt > now - config.requestTimeout
      const end = job.newsStart + job.news.length
      if (unanswered || progress.noted >= end) continue
      if (progress.noted === -1) this.#tellAll(job, replica, progress)
      else this.#tellNews(job, replica, progress)
    }
    this.#trim(job)
  }

  #tellAll(job: Job, replica: MemberId, progress: ReplicaProgress): void {
    const claims = [...job.held].map(({ path }) => path)
    this.#send(job, replica, progress, { full: true, entries: [...job.tree.entries()], claims, dropped: [] })
    progress.sent = job.newsStart + job.news.length
  }

  #tellNews(job: Job, replica: MemberId, progress: ReplicaProgress): void {
    const entries: Entry[] = []
    const claims: Path[] = []
    const dropped: Path[] = []
    let bytes = 0
    let at = Math.max(progress.noted, job.newsStart)
    for (; at < job.newsStart + job.news.length && bytes < REPORT_BYTES; at++) {
      const { type, path } = job.news[at - job.newsStart] as { type: string; path: Path }
      const node = job.tree.find(path)
      if (type === 'entry' && node?.entry !== undefined) {
        entries.push(node.entry)
        bytes += entryBytes(node.entry)
      } else if (type === 'claim' && node?.frame?.claimed === true) claims.push(path)
      else if (type === 'dropped' && node?.frame === undefined && job.tree.covering(path) === undefined) dropped.push(path)
    }
    progress.sent = at
    if (entries.length + claims.length + dropped.length === 0) progress.noted = at
    else this.#send(job, replica, progress, { full: false, entries, claims, dropped })
  }

  #send(
    job: Job,
    replica: MemberId,
    progress: ReplicaProgress,
    { full, entries, claims, dropped }: { full: boolean; entries: readonly Entry[]; claims: readonly Path[]; dropped: readonly Path[] },
  ): void {
    progress.number++
    progress.sentAt = this.#context.now
    const { number } = progress
    this.#context.send(replica, {
      type: 'report',
      job: job.id,
      number,
      full,
      entries,
      claims: claims.flatMap((path) => this.#claim(job, path)),
      dropped,
      work: { ...job.work },
    })
  }

  #claim(job: Job, path: Path): Claim[] {
    const node = job.tree.find(path)
    if (node?.frame === undefined || node.frame.state === 'lookup') return []
    const { frame, task } = node
    return [
      {
        ...(task as Task),
        age: this.#context.now - frame.since,
        progress: progressOf(node),
        leaf: frame.spawned === 0,
        second: frame.second,
      },
    ]
  }

  /** What all replicas have noted need not be told again: who is new gets everything. */
  #trim(job: Job): void {
    const end = job.newsStart + job.news.length
    let noted = end
    for (const progress of job.replicas.values()) if (progress.noted >= 0) noted = Math.min(noted, progress.noted)
    if (noted <= job.newsStart) return
    job.news = noted === end ? [] : job.news.slice(noted - job.newsStart)
    job.newsStart = noted
  }
}
