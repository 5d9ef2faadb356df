import type { Context } from './context.ts'
import { entryBytes } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Message, NextPage } from './messages.ts'
import type { Path } from './path.ts'
import type { TaskNode } from './task-node.ts'
import { votersOf } from './votes.ts'

/**
 * This member requests a further page only after a page of this many bytes. A guess: an eighth of
 * an honest page.
 */
const LEAST_PAGE = 64 * 1024
/** One replica may send this many times the largest result table, since a table grows. A guess. */
const MOST_SENT = 2

/**
 * A lookup ends after this time, ms, even if a replica goes on with pages. A guess: 3 MB over 1
 * Mbit/s, as for a new replica.
 */
const LONGEST = 30_000

/** Smaller numbers are for requests of other parts, see `OutcomeReader`. */
const FIRST_REQUEST = 1

/** A request gets no more paths after this many characters: a quarter of a message. */
const MAX_ASKED = 2 ** 20

/** The state of the answer of one replica. */
interface Asked {
  readonly paths: readonly Path[]
  readonly after: Path | undefined
  readonly page: number
  /** Bytes of this page, and of all pages before it. */
  bytes: number
  total: number
}

/** An open request for what replicas know of some tasks. */
export interface Lookup {
  readonly job: Job
  readonly nodes: readonly TaskNode[]
  /** Replicas that have not sent everything. */
  readonly open: Map<MemberId, Asked>
  /** Time when this member asks these replicas again, or gives them up. */
  deadline: Milliseconds
  /** Time between two requests. It doubles each time. */
  retransmitAfter: Milliseconds
  /** Until this time this member repeats its requests to silent replicas. */
  readonly until: Milliseconds
  /** At this time the lookup ends. */
  readonly end: Milliseconds
}

type Found = Extract<Message, { type: 'found' }>

/** A task whose lookup has ended. */
export interface LookedUp {
  readonly job: Job
  readonly node: TaskNode
}

/**
 * The requests of lookups. They ask replicas page by page, and again if a replica does not answer.
 * Methods return the tasks whose lookups ended.
 */
export class LookupRequests {
  readonly #context: Context
  readonly #open = new Map<number, Lookup>()
  /** Tasks to look up together, by job, and the time of the request. */
  readonly #waiting = new Map<Job, { at: Milliseconds; until: Milliseconds; nodes: Set<TaskNode> }>()
  #next = FIRST_REQUEST
  /** Until this time replicas may lack data that others have yet to report. */
  #quietUntil: Milliseconds = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** A member died or came. New replicas first receive what others have. */
  changed(): void {
    this.#quietUntil = this.#context.now + this.#settling
  }

  /**
   * `until`: the end of the time in which this member asks silent replicas again. They may not be
   * reachable yet.
   */
  add(job: Job, node: TaskNode, until: Milliseconds = 0): void {
    const waiting = this.#waiting.get(job)
    // A newcomer has nothing of an old job. At first it does not even know the replicas.
    const at = Math.max(this.#context.now, this.#quietUntil, job.spec.fresh ? 0 : job.since + this.#settling)
    if (waiting === undefined) {
      this.#waiting.set(job, { at, until, nodes: new Set([node]) })
      this.#context.timers.advance('lookups', at)
    } else {
      waiting.nodes.add(node)
      waiting.until = Math.max(waiting.until, until)
    }
  }

  /** Whether a lookup for this job is open. */
  isAsking(job: Job): boolean {
    return this.#waiting.has(job) || [...this.#open.values()].some((lookup) => lookup.job === job)
  }

  /** Sends the requests that are due. Gives up the lookups whose time is over. */
  *advance(): Generator<LookedUp> {
    const { now } = this.#context
    for (const [job, { at, until, nodes }] of this.#waiting) {
      if (at > now) continue
      this.#waiting.delete(job)
      if (job.ended === undefined) for (const some of portions(nodes)) yield* this.#ask(job, some, until)
    }
    for (const [request, lookup] of this.#open) {
      if (lookup.deadline > now) continue
      // Only replicas hold the lookup open. A member that nobody else asks may hang.
      const replicas = this.#context.replicas(lookup.job)
      for (const id of lookup.open.keys()) if (!replicas.includes(id)) lookup.open.delete(id)
      if (lookup.open.size === 0 || lookup.until <= now || lookup.end <= now) yield* this.#finish(request, lookup)
      else this.#send(request, lookup)
    }
    this.#arm()
  }

  /**
   * A page of an answer came. Returns its lookup; undefined: nobody asked for the page, or it came
   * twice.
   */
  received(from: MemberId, { request, page, entries }: Found): Lookup | undefined {
    const lookup = this.#open.get(request)
    const asked = lookup?.open.get(from)
    // A duplicate: this member has requested the page again meanwhile.
    if (asked === undefined || (page ?? asked.page) !== asked.page) return undefined
    for (const entry of entries) asked.bytes += entryBytes(entry)
    return lookup
  }

  /** Asks for the next page, if there is one. */
  *turnPage(from: MemberId, message: Found, lookup: Lookup): Generator<LookedUp> {
    const { request, next, last } = message
    const asked = lookup.open.get(from)
    if (asked === undefined || (next === undefined ? !last : this.#asksFor(next, request, lookup, from, asked))) return
    lookup.open.delete(from)
    if (lookup.open.size === 0) yield* this.#finish(request, lookup)
  }

  *gone(member: MemberId): Generator<LookedUp> {
    for (const [request, lookup] of this.#open)
      if (lookup.open.delete(member) && lookup.open.size === 0) yield* this.#finish(request, lookup)
  }

  forget(job: JobId): void {
    for (const [request, lookup] of this.#open) if (lookup.job.id === job) this.#open.delete(request)
    for (const each of this.#waiting.keys()) if (each.id === job) this.#waiting.delete(each)
    this.#arm()
  }

  /**
   * Asks a replica for its next page. Returns false if the replica is not credible, or if there is
   * nothing to ask for.
   */
  #asksFor({ at, after }: NextPage, request: number, lookup: Lookup, from: MemberId, { paths, page, bytes, total }: Asked): boolean {
    const { now, config } = this.#context
    const isBelieved = bytes >= LEAST_PAGE && total + bytes <= MOST_SENT * config.tableBytes
    if (!isBelieved || at >= paths.length || lookup.job.ended !== undefined) return false
    const asked = { paths: paths.slice(at), after, page: page + 1, bytes: 0, total: total + bytes }
    lookup.open.set(from, asked)
    lookup.deadline = Math.min(lookup.end, Math.max(lookup.deadline, now + config.requestTimeout))
    this.#arm()
    this.#sendTo(from, request, lookup.job, asked)
    return true
  }

  get #settling(): Milliseconds {
    const { config, members } = this.#context
    return config.settleAfterDeath + Math.ceil(4 * members.longestRoundTrip)
  }

  *#ask(job: Job, nodes: readonly TaskNode[], until: Milliseconds): Generator<LookedUp> {
    const { self, now, config, members } = this.#context
    const request = this.#next++
    const others = nodes.flatMap((node) => [...votersOf(node), ...(node.lostHolders?.keys() ?? [])])
    const asked = new Set([...this.#context.replicas(job), ...others.filter((id) => members.has(id))])
    asked.delete(self)
    const paths = outermost(nodes)
    const open = new Map([...asked].map((replica) => [replica, { paths, after: undefined, page: 0, bytes: 0, total: 0 }]))
    const lookup = { job, nodes, open, deadline: now, retransmitAfter: config.requestTimeout, until, end: now + LONGEST }
    if (asked.size === 0) {
      yield* this.#finish(request, lookup)
      return
    }
    this.#open.set(request, lookup)
    this.#send(request, lookup)
  }

  #send(request: number, lookup: Lookup): void {
    const { now, config } = this.#context
    lookup.deadline = Math.min(now + lookup.retransmitAfter, Math.max(lookup.until, now + config.requestTimeout))
    lookup.retransmitAfter *= 2
    for (const [replica, asked] of lookup.open) this.#sendTo(replica, request, lookup.job, asked)
  }

  #sendTo(replica: MemberId, request: number, { id }: Job, asked: Asked): void {
    const { paths, after, page } = asked
    // A page that this member requests again arrives again in full.
    asked.bytes = 0
    this.#context.send(replica, { type: 'lookup', job: id, request, paths, page, ...(after !== undefined && { after }) })
  }

  #arm(): void {
    let due = Infinity
    for (const { at } of this.#waiting.values()) due = Math.min(due, at)
    for (const { deadline } of this.#open.values()) due = Math.min(due, deadline)
    this.#context.timers.set('lookups', due)
  }

  *#finish(request: number, { job, nodes }: Lookup): Generator<LookedUp> {
    this.#open.delete(request)
    this.#arm()
    for (const node of nodes) if (job.ended === undefined) yield { job, node }
  }
}

/** Yields tasks in batches whose paths fit into one request. */
function* portions(nodes: Iterable<TaskNode>): Generator<readonly TaskNode[]> {
  let some: TaskNode[] = []
  let length = 0
  for (const node of nodes) {
    if (length > MAX_ASKED) {
      yield some
      some = []
      length = 0
    }
    some.push(node)
    length += node.path.length
  }
  yield some
}

/** Returns the paths of the topmost tasks. The answer includes the tasks below them anyway. */
function outermost(nodes: readonly TaskNode[]): Path[] {
  const all = new Set(nodes)
  const isBelow = ({ parent }: TaskNode): boolean => {
    for (let above = parent; above !== undefined; above = above.parent) if (all.has(above)) return true
    return false
  }
  return nodes.filter((node) => !isBelow(node)).map(({ path }) => path)
}
