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
   * `isLast`: this member leaves, so it waits for no acknowledgement.
   */
  flush(isLast = false): void {
    for (const job of this.#reporting()) {
      if (this.#hasNews(job)) this.#due.set(job.id, this.#context.now)
      if (isLast) for (const progress of job.reports.progress.values()) progress.sentAt = -Infinity
    }
  }

  /**
   * The others had pronounced this member dead. Replicas drop the claims of dead members, and their
   * reports. So this member reports its claims again, and does not wait for acknowledgements.
   */
  claimAgain(): void {
    for (const job of this.#context.active) {
      for (const { path } of job.held) job.reports.add({ type: 'claim', path })
      job.reports.isUrgent = true
      for (const progress of job.reports.progress.values()) progress.sentAt = -Infinity
    }
  }

  due(): void {
    const { now, members, config } = this.#context
    let long = Infinity
    for (const job of this.#reporting()) {
      const state = job.reports
      if (state.isUrgent) this.#due.set(job.id, now)
      state.isUrgent = false
      if (job.ended === undefined && state.recipientsVersion !== members.version) this.updateRecipients(job)
      this.#noteLong(job)
      long = Math.min(long, longReportAt(job))
      const due = this.#due.get(job.id)
      if (due !== undefined && due <= now) {
        this.#due.delete(job.id)
        this.#report(job)
      }
      // A replica that comes later receives everything.
      if (state.progress.size === 0 && state.news.length > 0) state.trim()
      const hasNews = this.#hasNews(job)
      if (hasNews && !this.#due.has(job.id)) this.#due.set(job.id, this.#isFirst(job) ? now : now + config.reportEvery)
      if (job.ended !== undefined && !hasNews) this.forget(job)
    }
    this.#context.timers.set('reports', Math.min(...this.#due.values(), long))
  }

  noted(from: MemberId, job: Job, number: number): void {
    const progress = job.reports.progress.get(from)
    if (progress === undefined || progress.number !== number) return
    progress.noted = progress.sent
    for (const path of progress.savedSent) progress.saved.delete(path)
    progress.savedSent = []
    progress.backlog?.splice(0, progress.page)
    if (progress.backlog?.length === 0) progress.backlog = undefined
    progress.retransmitAfter = Math.max(this.#context.config.requestTimeout, 2 * (this.#context.now - progress.sentAt))
    progress.sentAt = -Infinity
    if (progress.isNew) reportSaved(job)
    progress.isNew = false
    job.reports.trim()
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
    if (open.leaves().length > 0) job.reports.add({ type: 'work', path: ROOT })
  }

  /** Jobs that may have something to report. */
  *#reporting(): Generator<Job> {
    yield* this.#context.attended
    yield* this.#context.unreported
  }

  /** From now on the replicas in the present view receive reports. */
  updateRecipients(job: Job): void {
    const { self, now, members, config } = this.#context
    const { reports } = job
    const { progress, recipients: former, handOverSource: formerSource } = reports
    reports.recipientsVersion = members.version
    if (job.ended !== undefined) this.#context.unreported.add(job)
    const isComplete = (id: MemberId): boolean =>
      id === self || (progress.get(id)?.backlog === undefined && (reports.recipientSince.get(id) ?? now) <= now - HAND_OVER)
    // Members see deaths in different orders, and choose different sources. A replica always counts
    // itself. So the first of all chosen replicas chooses itself, and hands over.
    const rank = (id: MemberId): number => hash52(`${id} ${job.id}`)
    const [source] = former.filter((id) => members.has(id) && isComplete(id)).sort((a, b) => rank(a) - rank(b))
    const noted = source === undefined || source === self ? -1 : (progress.get(source)?.noted ?? -1)
    const isBroken = formerSource !== undefined && formerSource !== source && (source !== undefined || !members.has(formerSource))
    reports.handOverSource = source
    // Nothing happened before the first replicas of a new job.
    const since = former.length === 0 && job.spec.fresh ? -Infinity : now
    const recipients = this.#context.replicas(job)
    reports.recipients = recipients
    for (const id of reports.recipientSince.keys()) if (!recipients.includes(id)) reports.recipientSince.delete(id)
    for (const id of progress.keys()) if (!recipients.includes(id)) progress.delete(id)
    for (const id of recipients) {
      if (!reports.recipientSince.has(id)) reports.recipientSince.set(id, since)
      if (id === self) continue
      const known = progress.get(id)
      if (known === undefined) progress.set(id, newReplica(noted, config.requestTimeout))
      // The transfer that the former source began may be lost. This member's own transfer goes on.
      else if (isBroken && id !== source && !isComplete(id) && known.backlog === undefined) restart(known, Math.min(noted, known.noted))
    }
  }

  #hasNews(job: Job): boolean {
    for (const progress of job.reports.progress.values()) if (this.#lacks(job, progress)) return true
    return false
  }

  #lacks(job: Job, { noted, backlog, isNew, saved }: ReplicaProgress): boolean {
    if (backlog !== undefined || (saved.size > 0 && job.ended === undefined)) return true
    const isRefused = isNew && job.refusalAt(this.#context.self, this.#context.self) !== undefined
    if (noted === -1) return isRefused || job.tree.root.children !== undefined || !job.tree.root.isEmpty
    return noted < job.reports.end || (isNew && job.held.size > 0) || isRefused
  }

  /**
   * Whether a replica needs a report at once: it lacks a part of the state that it gets as a new
   * replica.
   */
  #isFirst(job: Job): boolean {
    for (const progress of job.reports.progress.values()) {
      if ((progress.isNew || progress.backlog !== undefined) && progress.sentAt === -Infinity && this.#lacks(job, progress)) return true
    }
    return false
  }

  #report(job: Job): void {
    const { now } = this.#context
    this.#restartLaggards(job)
    for (const [replica, progress] of job.reports.progress) {
      if (progress.sentAt > now - progress.retransmitAfter || !this.#lacks(job, progress)) continue
      // Behind a slow line an acknowledgement takes long. Repeated reports would delay it further.
      if (progress.sentAt !== -Infinity) progress.retransmitAfter *= 2
      if (progress.noted === -1) this.#handOver(job, progress)
      const { backlog } = progress
      const content = backlog === undefined ? newsFor(job, progress, now) : backlogFor(job, progress, backlog, now)
      const { isEmpty, end } = content
      progress.savedSent = content.saved.map(({ path }) => path)
      if (backlog === undefined) progress.sent = end
      else {
        progress.page = end
        progress.sent = progress.noted
      }
      if (isEmpty) Object.assign(progress, { noted: end, isNew: false })
      else this.#send(job, replica, progress, content)
    }
    job.reports.trim()
  }

  /**
   * A replica that lacks too much news counts as new. Otherwise this member would keep all news
   * until the job ends for a replica that acknowledges nothing.
   */
  #restartLaggards(job: Job): void {
    let bytes = 0
    const { news, newsStart, progress: replicas } = job.reports
    const last = news.findLastIndex(({ path }) => (bytes += ITEM_BYTES + path.length) > MAX_NEWS_BYTES)
    if (last === -1) return
    for (const progress of replicas.values()) if (progress.noted <= newsStart + last) restart(progress, -1)
  }

  /** Begins to send the whole state to a replica. */
  #handOver(job: Job, progress: ReplicaProgress): void {
    job.reports.passesOnUntil = this.#context.now + PASS_ON
    progress.backlog = [...new Set([...job.tree.entries()].map(({ path }) => path))]
    progress.noted = job.reports.end
  }

  #send(job: Job, replica: MemberId, progress: ReplicaProgress, { entries, claims, dropped, tried, saved }: ReportContent): void {
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
        ...(job.failures.unfit && { unfit: job.failures.unfit.reason }),
        ...(job.spec.noRoom !== undefined && { noRoom: job.spec.noRoom }),
      },
      ...(tried.length > 0 && { tried }),
      ...(saved.length > 0 && { saved }),
    })
  }
}

/** A new replica has this member's claims. Now it accepts the states of the tasks that run here. */
function reportSaved({ tree, reports, votesNeeded }: Job): void {
  if (tree.savedBytes === 0 || votesNeeded > 1) return
  for (const { path, saved, frame } of tree.within(tree.root)) {
    if (saved !== undefined && frame !== undefined) reports.add({ type: 'saved', path })
  }
}
