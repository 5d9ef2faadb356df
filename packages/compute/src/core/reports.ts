import { hash52 } from '@jel/protocol'
import type { Context } from './context.ts'
import type { JobId, MemberId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import { listOf } from './job-work.ts'
import { longReportAt, longRunning } from './long-running.ts'
import { ROOT } from './path.ts'
import { newReplica, restart, type ReplicaProgress } from './replica-progress.ts'
import { backlogFor, newsFor, type ReportContent } from './report-content.ts'

/**
 * Other members may detect a new replica this much later than the first replica does, ms. Measured:
 * all members see each other again at most 9.1 s after a partition.
 */
const PASS_ON = 10_000
/** A new replica has received everything after this time, ms. A guess: 3 MB over 1 Mbit/s. */
const HAND_OVER = 30_000
/** Bytes of an item of news without the characters of its path. Measured: 71. */
const ITEM_BYTES = 72
/**
 * Maximum bytes of the news of a job. A replica that lacks more counts as new. A guess: an eighth
 * of the largest result table, which a new replica may receive.
 */
const MAX_NEWS_BYTES = 8 * 2 ** 20

/**
 * Reports to the replicas of a job. Each second a member with news reports what it completed, and
 * what it holds. It reports a task that came and ended within that second as one entry. If a task
 * above it ended as well, the member reports that outcome instead.
 *
 * A new replica receives everything from one complete replica, the source. If all members sent
 * everything, they would overload a slow line (simulated: 176 members, a replica behind 1 Mbit/s,
 * 1.6 MB). The other members report their claims, and the entries that the source lacks. If no
 * complete replica is left, all send everything.
 */
export class Reports {
  readonly #context: Context
  readonly #due = new Map<JobId, Milliseconds>()

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Reports at once. After a death the others report what they have before any member repeats work.
   */
  flush(): void {
    for (const job of this.#reporting()) if (this.#hasNews(job)) this.#due.set(job.id, this.#context.now)
  }

  due(): void {
    const { now, members, config } = this.#context
    let long = Infinity
    for (const job of this.#reporting()) {
      if (job.isUrgent) this.#due.set(job.id, now)
      job.isUrgent = false
      if (job.ended === undefined && job.replicasVersion !== members.version) this.follow(job)
      this.#noteLong(job)
      long = Math.min(long, longReportAt(job))
      const due = this.#due.get(job.id)
      if (due !== undefined && due <= now) {
        this.#due.delete(job.id)
        this.#report(job)
      }
      // A replica that comes later receives everything.
      if (job.replicas.size === 0 && job.news.length > 0) this.#trim(job)
      const hasNews = this.#hasNews(job)
      if (hasNews && !this.#due.has(job.id)) this.#due.set(job.id, this.#isFirst(job) ? now : now + config.reportEvery)
      if (job.ended !== undefined && !hasNews) this.forget(job)
    }
    this.#context.timers.set('reports', Math.min(...this.#due.values(), long))
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
    this.#context.unreported.delete(job)
    this.#due.delete(job.id)
  }

  isDue(job: Job): boolean {
    return this.#due.has(job.id)
  }

  /** If nothing has begun here for a while, the task that still runs is news. */
  #noteLong(job: Job): void {
    const { open } = job
    if (longReportAt(job) > this.#context.now) return
    open.noted = open.since
    if (open.leaves().length > 0) job.news.push({ type: 'work', path: ROOT })
  }

  /** Jobs that may have something to report. */
  *#reporting(): Generator<Job> {
    yield* this.#context.attended
    yield* this.#context.unreported
  }

  /** Sets the replicas that receive reports to the replicas in the present view. */
  follow(job: Job): void {
    const { self, now, members, config } = this.#context
    job.replicasVersion = members.version
    if (job.ended !== undefined) this.#context.unreported.add(job)
    const isComplete = (id: MemberId): boolean =>
      id === self || (job.replicas.get(id)?.backlog === undefined && (job.followedSince.get(id) ?? now) <= now - HAND_OVER)
    // Members see deaths in different orders, and choose different sources. A replica always counts
    // itself. So the first of all chosen replicas chooses itself, and hands over.
    const rank = (id: MemberId): number => hash52(`${id} ${job.id}`)
    const [source] = job.followed.filter((id) => members.has(id) && isComplete(id)).sort((a, b) => rank(a) - rank(b))
    const noted = source === undefined || source === self ? -1 : (job.replicas.get(source)?.noted ?? -1)
    const isBroken = job.source !== undefined && job.source !== source && (source !== undefined || !members.has(job.source))
    job.source = source
    // Nothing happened before the first replicas of a new job.
    const called = job.followed.length === 0 && job.spec.fresh ? -Infinity : now
    job.followed = this.#context.keepers(job)
    for (const id of job.followedSince.keys()) if (!job.followed.includes(id)) job.followedSince.delete(id)
    for (const id of job.replicas.keys()) if (!job.followed.includes(id)) job.replicas.delete(id)
    for (const id of job.followed) {
      if (!job.followedSince.has(id)) job.followedSince.set(id, called)
      if (id === self) continue
      const progress = job.replicas.get(id)
      if (progress === undefined) job.replicas.set(id, newReplica(noted, config.requestTimeout))
      // The transfer that the former source began may be lost. This member's own transfer goes on.
      else if (isBroken && id !== source && !isComplete(id) && progress.backlog === undefined)
        restart(progress, Math.min(noted, progress.noted))
    }
  }

  #hasNews(job: Job): boolean {
    for (const progress of job.replicas.values()) if (this.#lacks(job, progress)) return true
    return false
  }

  #lacks(job: Job, { noted, backlog, isNew }: ReplicaProgress): boolean {
    if (backlog !== undefined) return true
    const isRefused = isNew && job.refusalAt(this.#context.self, this.#context.self) !== undefined
    if (noted === -1) return isRefused || job.tree.root.children !== undefined || !job.tree.root.isEmpty
    return noted < job.newsStart + job.news.length || (isNew && job.held.size > 0) || isRefused
  }

  /**
   * Whether a replica needs a report at once: it lacks a part of the state that it gets as a new
   * replica.
   */
  #isFirst(job: Job): boolean {
    for (const progress of job.replicas.values()) {
      if ((progress.isNew || progress.backlog !== undefined) && progress.sentAt === -Infinity && this.#lacks(job, progress)) return true
    }
    return false
  }

  #report(job: Job): void {
    const { now } = this.#context
    this.#restartLaggards(job)
    for (const [replica, progress] of job.replicas) {
      if (progress.sentAt > now - progress.retransmitAfter || !this.#lacks(job, progress)) continue
      // Behind a slow line an acknowledgement takes long. Repeated reports would delay it further.
      if (progress.sentAt !== -Infinity) progress.retransmitAfter *= 2
      if (progress.noted === -1) this.#handOver(job, progress)
      const { backlog } = progress
      const content = backlog === undefined ? newsFor(job, progress, now) : backlogFor(job, progress, backlog, now)
      const { isEmpty, end } = content
      if (backlog === undefined) progress.sent = end
      else {
        progress.page = end
        progress.sent = progress.noted
      }
      if (isEmpty) Object.assign(progress, { noted: end, isNew: false })
      else this.#send(job, replica, progress, content)
    }
    this.#trim(job)
  }

  /**
   * A replica that lacks too much news counts as new. Otherwise this member would keep all news
   * until the job ends for a replica that acknowledges nothing.
   */
  #restartLaggards(job: Job): void {
    let bytes = 0
    const last = job.news.findLastIndex(({ path }) => (bytes += ITEM_BYTES + path.length) > MAX_NEWS_BYTES)
    if (last === -1) return
    for (const progress of job.replicas.values()) {
      if (progress.noted > job.newsStart + last) continue
      restart(progress, -1)
    }
  }

  /** Begins to send the whole state to a replica. */
  #handOver(job: Job, progress: ReplicaProgress): void {
    job.passesOnUntil = this.#context.now + PASS_ON
    progress.backlog = [...new Set([...job.tree.entries()].map(({ path }) => path))]
    progress.noted = job.newsStart + job.news.length
  }

  #send(job: Job, replica: MemberId, progress: ReplicaProgress, { entries, claims, dropped, tried }: ReportContent): void {
    progress.number++
    progress.sentAt = this.#context.now
    this.#context.send(replica, {
      type: 'report',
      job: job.id,
      number: progress.number,
      entries,
      claims,
      dropped,
      work: {
        ...job.work.own,
        ...(job.work.longest.size > 0 && { longest: [...job.work.longest] }),
        ...(job.work.functions.size > 0 && { functions: listOf(job.work.functions) }),
        ...(job.open.running > 0 && { running: job.open.running }),
        ...(job.ready.size > 0 && { waiting: job.ready.size }),
        ...longRunning(this.#context, job),
        ...(job.unfit && { unfit: job.unfit.reason }),
        ...(job.spec.noRoom !== undefined && { noRoom: job.spec.noRoom }),
      },
      ...(tried.length > 0 && { tried }),
    })
  }

  /** Drops news that all replicas have acknowledged, or will receive with the whole state. */
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
