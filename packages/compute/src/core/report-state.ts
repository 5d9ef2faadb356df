import type { MemberId, Milliseconds } from './ids.ts'
import { ROOT, type Path } from './path.ts'
import type { ReplicaProgress } from './replica-progress.ts'

/**
 * News for replicas. `entry`: a task has an outcome. `claim`: this member holds the task.
 * `dropped`: it no longer holds the task. `tried`: the task has crashes or lost holders. `saved`:
 * the task saved a state. `work`: only this member's totals of work changed. Each report includes
 * them.
 */
interface News {
  readonly type: 'entry' | 'claim' | 'dropped' | 'tried' | 'saved' | 'work'
  readonly path: Path
}

/** The state of this member's reports about one job to the job's replicas. See `Reports`. */
export class ReportState {
  /** News for the replicas. `newsStart`: number of earlier items that this member has dropped. */
  news: News[] = []
  newsStart = 0
  /** For each other replica that receives reports, what it has received. */
  readonly progress = new Map<MemberId, ReplicaProgress>()
  /**
   * The replicas that receive reports now. They come from the view with version
   * `recipientsVersion`. This member may be one of them.
   */
  recipients: readonly MemberId[] = []
  recipientsVersion = -1
  /** For each recipient, the time at which this member learned of its role. */
  readonly recipientSince = new Map<MemberId, Milliseconds>()
  /** The replica that sends its whole state to new replicas. */
  handOverSource: MemberId | undefined
  /**
   * Until this time this member forwards reported outcomes to the other replicas. Members that do
   * not know a new replica yet report only to the old ones. The time begins when this member starts
   * to send its whole state to a new replica.
   */
  passesOnUntil: Milliseconds = 0
  /** Replicas need a report at once. */
  isUrgent = false

  /** The index after the last news item. */
  get end(): number {
    return this.newsStart + this.news.length
  }

  at(index: number): News {
    return this.news[index - this.newsStart] as News
  }

  add(news: News): void {
    this.news.push(news)
  }

  /** Drops news that all replicas have acknowledged, or will receive with the whole state. */
  trim(): void {
    let noted = this.end
    for (const progress of this.progress.values()) {
      const known = progress.noted === -1 ? progress.sent : progress.noted
      if (known !== -1) noted = Math.min(noted, known)
    }
    this.news = this.news.slice(noted - this.newsStart)
    this.newsStart = noted
  }

  /** The job is over: from now on the outcome of the root is the only news. */
  release(): void {
    this.newsStart = this.end
    this.news = [{ type: 'entry', path: ROOT }]
    for (const progress of this.progress.values()) progress.backlog = undefined
  }
}
