import type { Context } from './context.ts'
import { entryBytes, type Entry, type Task } from './entry.ts'
import type { Claim, JobId, MemberId, Milliseconds } from './io.ts'
import type { Job, ReplicaProgress } from './job.ts'
import type { Path } from './path.ts'
import { progressOf, type TaskNode } from './task-tree.ts'
import { triedOf } from './tries.ts'
import { evidence } from './votes.ts'

/**
 * Bytes of values in one report; the rest goes with the next. A guess: some milliseconds of a slow
 * line.
 */
const REPORT_BYTES = 512 * 1024

/**
 * Other members may detect a new replica this much later than the first replica does, ms. Measured:
 * all see all again at most 9.1 s after a partition.
 */
const PASS_ON = 10_000

/**
 * Reports to the replicas of a job. Each second a member with news reports what it completed, and
 * what it holds. A task that came and went within that second is reported as one entry, or, if its
 * parent ended as well, not at all.
 *
 * A new replica receives everything from the first of those that were there before it. If all sent
 * everything, it would drown behind a slow line (simulated: 176 members, a replica behind 1 Mbit/s,
 * 1.6 MB). The others report their claims, and entries that this one lacks. If no earlier replica
 * is left, all send everything.
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

  /**
   * Reports at once: a member that outlived another's death reports what it has before anything is
   * done again.
   */
  flush(): void {
    for (const job of this.#telling()) if (this.#hasNews(job)) this.#due.set(job.id, this.#context.now)
  }

  turn(): void {
    const { now, members, config } = this.#context
    for (const job of this.#telling()) {
      if (job.isUrgent) this.#due.set(job.id, now)
      job.isUrgent = false
      if (job.ended === undefined && job.replicasVersion !== members.version) this.follow(job)
      const due = this.#due.get(job.id)
      if (due !== undefined && due <= now) {
        this.#due.delete(job.id)
        this.#tell(job)
      }
      const hasNews = this.#hasNews(job)
      if (hasNews && !this.#due.has(job.id)) this.#due.set(job.id, this.#isUntold(job) ? now : now + config.reportEvery)
      if (job.ended !== undefined && !hasNews) this.forget(job)
    }
  }

  noted(from: MemberId, job: Job, number: number): void {
    const progress = job.replicas.get(from)
    if (progress === undefined || progress.number !== number) return
    progress.noted = progress.sent
    progress.backlog?.splice(0, progress.page)
    if (progress.backlog?.length === 0) progress.backlog = undefined
    progress.retransmitAfter = Math.max(this.#context.config.requestTimeout, 2 * (this.#context.now - progress.sentAt))
    progress.sentAt = -Infinity
    progress.isNew = false
    this.#trim(job)
  }

  forget(job: Job): void {
    this.#context.untold.delete(job)
    this.#due.delete(job.id)
  }

  isDue(job: Job): boolean {
    return this.#due.has(job.id)
  }

  /** Jobs that may have something to report. */
  *#telling(): Generator<Job> {
    yield* this.#context.attended
    yield* this.#context.untold
  }

  /** Updates the replicas that receive reports to those of the present view. */
  follow(job: Job): void {
    const { self, now, members } = this.#context
    job.replicasVersion = members.version
    if (job.ended !== undefined) this.#context.untold.add(job)
    const since = (id: MemberId): Milliseconds => job.followedSince.get(id) ?? now
    // The replica of longest standing: a new one may not have received everything yet.
    const source = job.followed.filter((id) => members.has(id)).sort((a, b) => since(a) - since(b))[0]
    const noted = source === undefined || source === self ? -1 : (job.replicas.get(source)?.noted ?? -1)
    const isBroken = job.source !== undefined && job.source !== source && !members.has(job.source)
    job.source = source
    job.followed = this.#context.keepers(job)
    for (const id of job.followedSince.keys()) if (!job.followed.includes(id)) job.followedSince.delete(id)
    for (const id of job.replicas.keys()) if (!job.followed.includes(id)) job.replicas.delete(id)
    for (const id of job.followed) {
      if (!job.followedSince.has(id)) job.followedSince.set(id, now)
      if (id === self) continue
      const progress = job.replicas.get(id)
      // The handover that the former source began may be lost with it.
      if (progress === undefined || (isBroken && id !== source && since(id) > now - PASS_ON))
        job.replicas.set(id, this.#untold(Math.min(noted, progress?.noted ?? noted)))
    }
  }

  #untold(noted: number): ReplicaProgress {
    const { requestTimeout } = this.#context.config
    return { noted, sent: -1, sentAt: -Infinity, retransmitAfter: requestTimeout, number: 0, backlog: undefined, page: 0, isNew: true }
  }

  #hasNews(job: Job): boolean {
    for (const progress of job.replicas.values()) if (this.#lacks(job, progress)) return true
    return false
  }

  #lacks(job: Job, { noted, backlog, isNew }: ReplicaProgress): boolean {
    if (backlog !== undefined) return true
    const isUnfit = isNew && job.unfit !== undefined
    if (noted === -1) return isUnfit || job.tree.root.children !== undefined || !job.tree.root.isEmpty
    return noted < job.newsStart + job.news.length || (isNew && job.held.size > 0) || isUnfit
  }

  /** A replica that has received nothing, or not everything there was, gets a report at once. */
  #isUntold(job: Job): boolean {
    for (const progress of job.replicas.values()) {
      if ((progress.isNew || progress.backlog !== undefined) && progress.sentAt === -Infinity && this.#lacks(job, progress)) return true
    }
    return false
  }

  #tell(job: Job): void {
    const { now } = this.#context
    for (const [replica, progress] of job.replicas) {
      if (progress.sentAt > now - progress.retransmitAfter || !this.#lacks(job, progress)) continue
      // Behind a slow line an answer takes long. More of the same would make it longer.
      if (progress.sentAt !== -Infinity) progress.retransmitAfter *= 2
      if (progress.noted === -1) this.#handOver(job, progress)
      if (progress.backlog === undefined) this.#tellNews(job, replica, progress)
      else this.#tellPage(job, replica, progress, progress.backlog)
    }
    this.#trim(job)
  }

  /** Begins to send everything. */
  #handOver(job: Job, progress: ReplicaProgress): void {
    job.passesOnUntil = this.#context.now + PASS_ON
    progress.backlog = [...new Set([...job.tree.entries()].map(({ path }) => path))]
    progress.noted = job.newsStart + job.news.length
  }

  #tellPage(job: Job, replica: MemberId, progress: ReplicaProgress, backlog: readonly Path[]): void {
    const entries = new Set<Entry>()
    let bytes = 0
    let at = 0
    for (; at < backlog.length && bytes < REPORT_BYTES; at++) {
      const path = backlog[at] as Path
      const covering = job.tree.covering(path)
      const node = job.tree.find(path)
      for (const entry of covering !== undefined ? [covering] : node === undefined ? [] : evidence(job, node)) {
        if (!entries.has(entry)) bytes += entryBytes(entry)
        entries.add(entry)
      }
    }
    progress.page = at
    progress.sent = progress.noted
    const claims = progress.isNew ? [...job.held].map(({ path }) => path) : []
    this.#send(job, replica, progress, { entries: [...entries], claims, dropped: [], tried: progress.isNew ? [...job.tried] : [] })
  }

  #tellNews(job: Job, replica: MemberId, progress: ReplicaProgress): void {
    const entries: Entry[] = []
    const claims: Path[] = progress.isNew ? [...job.held].map(({ path }) => path) : []
    const dropped: Path[] = []
    const tried: TaskNode[] = progress.isNew ? [...job.tried] : []
    let isOfWork = progress.isNew && job.unfit !== undefined
    let bytes = 0
    let at = Math.max(progress.noted, job.newsStart)
    for (; at < job.newsStart + job.news.length && bytes < REPORT_BYTES; at++) {
      const { type, path } = job.news[at - job.newsStart] as { type: string; path: Path }
      const node = job.tree.find(path)
      if (type === 'entry' && node?.entry !== undefined) {
        entries.push(node.entry)
        bytes += entryBytes(node.entry)
      } else if (type === 'entry' && node?.ballots !== undefined) entries.push(...evidence(job, node))
      else if (type === 'work') isOfWork = true
      else if (type === 'tried' && node?.tries !== undefined && !progress.isNew) tried.push(node)
      else if (type === 'claim' && node?.frame?.claimed === true && !progress.isNew) claims.push(path)
      else if (type === 'dropped' && !isClaimed(node) && job.tree.covering(path) === undefined) dropped.push(path)
    }
    progress.sent = at
    if (entries.length + claims.length + dropped.length + tried.length === 0 && !isOfWork)
      Object.assign(progress, { noted: at, isNew: false })
    else this.#send(job, replica, progress, { entries, claims, dropped, tried })
  }

  #send(
    job: Job,
    replica: MemberId,
    progress: ReplicaProgress,
    {
      entries,
      claims,
      dropped,
      tried,
    }: { entries: readonly Entry[]; claims: readonly Path[]; dropped: readonly Path[]; tried: readonly TaskNode[] },
  ): void {
    progress.number++
    progress.sentAt = this.#context.now
    const { number } = progress
    this.#context.send(replica, {
      type: 'report',
      job: job.id,
      number,
      entries,
      claims: claims.flatMap((path) => this.#claim(job, path)),
      dropped,
      work: {
        ...job.work,
        ...(job.longest.size > 0 && { longest: [...job.longest] }),
        ...(job.unfit && { unfit: job.unfit.reason }),
      },
      ...(tried.length > 0 && { tried: tried.map(triedOf) }),
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

  /** Drops news that all replicas have acknowledged, or receive with everything else. */
  #trim(job: Job): void {
    let noted = job.newsStart + job.news.length
    for (const progress of job.replicas.values()) {
      const known = progress.noted === -1 ? progress.sent : progress.noted
      if (known !== -1) noted = Math.min(noted, known)
    }
    job.news = job.news.slice(noted - job.newsStart)
    job.newsStart = noted
  }
}

/** A task in lookup may turn out to be another member's, so it is no claim yet. */
function isClaimed(node: TaskNode | undefined): boolean {
  return node?.frame !== undefined && node.frame.state !== 'lookup'
}
