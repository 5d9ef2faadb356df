import type { Agent } from '../agent/agent.ts'
import { ledgerJson, type LedgerJson } from '../events/ledger.ts'
import type { JobEvent, JobsEvent } from '../events/job-messages.ts'
import {
  healthJson,
  jsonLine,
  nodeJson,
  reignJson,
  type HealthJson,
  type ListedJson,
  type NodeEvent,
  type NodeJson,
  type ReignJson,
} from '../events/events.ts'
import { inBackground } from '../base/timers.ts'
import { isInternal } from '../events/internal.ts'
import { ownFigures, processFigures } from '../agent/member-figures.ts'
import { listMembers } from '../agent/member-list.ts'
import { History, type PastJson } from '../model/history.ts'
import { isOverJob } from '../model/jobs.ts'
import { Overview } from './overview.ts'
import { Survey, type MemberReport } from './survey.ts'

/** The limit of simultaneous streams. Guess. */
const STREAMS_LIMIT = 16
/**
 * Maximum number of bytes that may wait for a stream that does not read, besides the snapshot.
 * Guess: twenty times the events of a pool of 1,000 members.
 */
const BACKLOG_LIMIT = 16 * 1024 * 1024
/** The least time between two reports of the jobs while there are streams, ms. Guess. */
const JOBS_TIME = 1_000
/** The interval at which this node's own figures are sent while there are streams, ms. Guess. */
const FIGURES_TIME = 2_000

/** Takes the lines of a feed: the response of a server, or a port of a worker. */
export interface FeedSink {
  /** Bytes that wait. */
  readonly writableLength: number
  write(text: string): unknown
  on(event: 'close', listener: () => void): unknown
  end(): unknown
  /** Ends the sink at once. */
  destroy(): unknown
}

/** The first event: the present state. */
interface SnapshotJson extends PastJson {
  readonly event: 'snapshot'
  readonly version: string
  /** Unix ms */
  readonly started: number
  readonly node: NodeJson
  readonly members: readonly ListedJson[]
  readonly reigns: readonly ReignJson[]
  readonly health: HealthJson
  readonly ledger?: LedgerJson
  readonly reports: readonly (readonly [id: string, report: MemberReport])[]
}

/**
 * The resources that this node uses: resident memory in bytes; since its start, processor time in
 * seconds and the bytes sent and received over TCP.
 */
interface FiguresJson {
  readonly event: 'figures'
  readonly memory: number
  readonly processor: number
  readonly sent: number
  readonly received: number
}

/** The events of the page: the events of `--json`, and some more. The writer adds time and pool. */
export type PageEvent =
  | SnapshotJson
  | FiguresJson
  | ({ readonly event: 'neighbours'; readonly of: string } & MemberReport)
  /** The time that this node took to detect a member's death. */
  | { readonly event: 'detection'; readonly member: string; readonly seconds: number }
  | NodeEvent

/**
 * Sends events to the streams of the open pages. Without streams the feed asks no members and reads
 * no figures, but it still records the past.
 */
export class Feed {
  readonly #agent: Agent
  readonly #history = new History()
  readonly #survey: Survey
  /** The open streams, each with the most bytes that may wait for it. */
  readonly #streams = new Map<FeedSink, number>()
  readonly #end = new AbortController()
  #timer: ReturnType<typeof setInterval> | undefined
  #health = ''
  #ledgerIndex = 0
  #jobsTimer: ReturnType<typeof setInterval> | undefined
  #isAsking = false
  readonly #overview: Overview
  /** The last report of the jobs, for streams that come later. */
  #jobs: JobsEvent | undefined

  constructor(agent: Agent) {
    this.#agent = agent
    this.#history.begin({ sizes: [[agent.started, agent.pool.members().length]], detections: [], events: [] })
    this.#survey = new Survey(
      agent.pool,
      () => ownFigures(agent),
      (of, report) => this.#send({ event: 'neighbours', of, ...report }),
    )
    this.#overview = new Overview(agent, (event) => this.#send(event))
    const { signal } = this.#end
    const unsubscribe = agent.listen((event) => {
      if (isInternal(event) || event.event === 'output') return
      this.#history.take(event, Date.now(), agent.model.here)
      this.#send(event)
    })
    signal.addEventListener('abort', unsubscribe)
    agent.pool.addEventListener(
      'measured',
      ({ detail }) => {
        if (detail.what !== 'detection') return
        const seconds = detail.took / 1000
        this.#history.detected(seconds, Date.now())
        this.#send({ event: 'detection', member: detail.member, seconds })
      },
      { signal },
    )
  }

  get isFull(): boolean {
    return this.#streams.size >= STREAMS_LIMIT
  }

  /** Adds a stream. It gets the present state, then each event. */
  add(stream: FeedSink): void {
    stream.on('close', () => this.#remove(stream))
    stream.write(this.#line(this.#snapshot()))
    if (this.#jobs !== undefined) stream.write(this.#line(this.#jobs))
    for (const event of this.#overview.events) stream.write(this.#line(event))
    this.#streams.set(stream, stream.writableLength + BACKLOG_LIMIT)
    this.#survey.start()
    this.#jobsTimer ??= inBackground(setInterval(() => void this.#sendJobs(), JOBS_TIME))
    void this.#sendJobs()
    this.#overview.start()
    this.#timer ??= inBackground(setInterval(() => void this.#sendFigures(), FIGURES_TIME))
    void this.#sendFigures()
  }

  /** Ends all streams. */
  close(): void {
    this.#end.abort()
    for (const stream of this.#streams.keys()) stream.end()
  }

  #remove(stream: FeedSink): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    this.#survey.stop()
    clearInterval(this.#timer)
    this.#timer = undefined
    clearInterval(this.#jobsTimer)
    this.#jobsTimer = undefined
    this.#jobs = undefined
    this.#overview.stop()
  }

  #snapshot(): SnapshotJson {
    const { pool, model, version, started } = this.#agent
    return {
      event: 'snapshot',
      version,
      started,
      node: nodeJson(pool.self),
      members: listMembers(pool.members(), model, { state: 'all' }),
      reigns: pool.reigns().map(reignJson),
      health: healthJson(pool.health()),
      ...(pool.ledger !== undefined && { ledger: ledgerJson(pool.ledger) }),
      reports: this.#survey.reports,
      ...this.#history.past,
    }
  }

  async #sendFigures(): Promise<void> {
    if (this.#agent.stopping) return
    const { pool } = this.#agent
    const health = healthJson(pool.health())
    const text = JSON.stringify(health)
    if (text !== this.#health) this.#send({ event: 'health', ...health })
    this.#health = text
    // The pool reports changes of the ledger's state, but not each entry.
    const { ledger } = pool
    if (ledger !== undefined && ledger.index !== this.#ledgerIndex) this.#send({ event: 'ledger', ...ledgerJson(ledger) })
    this.#ledgerIndex = ledger?.index ?? 0
    try {
      const { sent, received } = await pool.traffic()
      this.#send({ event: 'figures', ...processFigures(), sent, received })
    } catch {
      // The pool has ended meanwhile.
    }
  }

  /**
   * Reports the jobs. A node that takes no part in jobs reports none: a page must not make it take
   * part.
   */
  async #sendJobs(): Promise<void> {
    const { grid, stopping } = this.#agent
    if (grid === undefined || stopping || this.#isAsking) return
    this.#isAsking = true
    try {
      await this.#agent.runJobCommand({ command: 'jobs', work: true }, (event) => this.#takeJobs(event), this.#end.signal)
    } catch {
      // The grid has closed meanwhile.
    } finally {
      this.#isAsking = false
    }
  }

  #takeJobs(event: JobEvent): void {
    if (event.event !== 'jobs') return
    const isSame = JSON.stringify(event) === JSON.stringify(this.#jobs)
    if (isSame && event.jobs.every(isOverJob)) return
    this.#jobs = event
    this.#send(event)
  }

  #send(event: PageEvent): void {
    if (this.#streams.size === 0) return
    const line = this.#line(event)
    for (const [stream, limit] of this.#streams) {
      stream.write(line)
      if (stream.writableLength > limit) stream.destroy()
    }
  }

  #line(event: PageEvent): string {
    return `data: ${jsonLine(event, this.#agent.pool.name)}\n\n`
  }
}
