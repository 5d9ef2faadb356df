import type { Context } from './context.ts'
import { entryBytes } from './entry.ts'
import type { Execution } from './execution.ts'
import type { JobId, MemberId, Message, Milliseconds, NextPage, Tried } from './io.ts'
import type { Job } from './job.ts'
import type { Path } from './path.ts'
import type { TaskNode } from './task-tree.ts'
import { mayVote, votersOf } from './votes.ts'

/** Of what a page has, where more is to follow: it must be worth asking for, bytes. A guess: an eighth of an honest one. */
const LEAST_PAGE = 64 * 1024
/** What one replica may tell, in coverages of the largest job: it grows meanwhile. A guess. */
const MOST_TOLD = 2

/** Characters of the paths in one request, which is taken as a whole: a quarter of a message. */
const MAX_ASKED = 2 ** 20

/** How far a replica has told. */
interface Asked {
  readonly paths: readonly Path[]
  readonly after: Path | undefined
  readonly page: number
  /** Of this page, and of all, bytes. */
  bytes: number
  total: number
}

interface Lookup {
  readonly job: Job
  readonly nodes: readonly TaskNode[]
  /** Replicas that have not told all. */
  readonly open: Map<MemberId, Asked>
  /** When they are asked again, or no longer waited for. */
  deadline: Milliseconds
  /** How long after they were asked, doubling. */
  retransmitAfter: Milliseconds
  /** Until then they are asked again. */
  readonly until: Milliseconds
}

/** What is known of a task is asked of all replicas before it is done again: nothing that a living one holds is computed twice. */
export class Lookups {
  readonly #context: Context
  readonly #execution: () => Execution
  readonly #tried: (from: MemberId, job: Job, tried: readonly Tried[] | undefined) => void
  readonly #open = new Map<number, Lookup>()
  /** Tasks that are to be looked up together, by job, and when. */
  readonly #waiting = new Map<Job, { at: Milliseconds; until: Milliseconds; nodes: Set<TaskNode> }>()
  #next = 0
  /** Until then replicas may lack what others have to tell. */
  #quietUntil: Milliseconds = 0

  constructor(
    context: Context,
    execution: () => Execution,
    tried: (from: MemberId, job: Job, tried: readonly Tried[] | undefined) => void,
  ) {
    this.#context = context
    this.#tried = tried
    this.#execution = execution
  }

  get nextDue(): Milliseconds {
    let due = Infinity
    for (const { at } of this.#waiting.values()) due = Math.min(due, at)
    for (const { deadline } of this.#open.values()) due = Math.min(due, deadline)
    return due
  }

  /** Somebody died or came: replicas change, and hear from others what those have. */
  changed(): void {
    this.#quietUntil = this.#context.now + this.#settling
  }

  /** `until`: so long replicas that do not answer are asked again, as those to which there is no way yet. */
  add(job: Job, node: TaskNode, until: Milliseconds = 0): void {
    const waiting = this.#waiting.get(job)
    // Of an old job a newcomer knows nothing, nor, at first, who does.
    const at = Math.max(this.#context.now, this.#quietUntil, job.spec.fresh ? 0 : job.since + this.#settling)
    if (waiting === undefined) this.#waiting.set(job, { at, until, nodes: new Set([node]) })
    else {
      waiting.nodes.add(node)
      waiting.until = Math.max(waiting.until, until)
    }
  }

  /** Whether something of this job is still to be found out. */
  isAsking(job: Job): boolean {
    return this.#waiting.has(job) || [...this.#open.values()].some((lookup) => lookup.job === job)
  }

  turn(): void {
    const { now } = this.#context
    for (const [job, { at, until, nodes }] of this.#waiting) {
      if (at > now) continue
      this.#waiting.delete(job)
      if (job.ended === undefined) for (const some of portions(nodes)) this.#ask(job, some, until)
    }
    for (const [request, lookup] of this.#open) {
      if (lookup.deadline > now) continue
      if (lookup.until <= now) this.#finish(request, lookup)
      else this.#send(request, lookup)
    }
  }

  found(from: MemberId, message: Extract<Message, { type: 'found' }>, job: Job): void {
    const lookup = this.#open.get(message.request)
    const asked = lookup?.open.get(from)
    // One that comes twice was asked for again meanwhile.
    if (lookup === undefined || asked === undefined || (message.page ?? asked.page) !== asked.page) return
    const { self, members } = this.#context
    const execution = this.#execution()
    for (const entry of message.entries) {
      asked.bytes += entryBytes(entry)
      execution.settle(job, entry, from)
    }
    this.#tried(from, job, message.tried)
    for (const { path, holder } of message.claims) {
      if (holder === self || !members.has(holder) || job.ended !== undefined || job.tree.covering(path) !== undefined) continue
      const node = this.#context.hearsay.node(job, path, from, 0)
      // A claim of a member that has voted is out of date.
      if (node === undefined || !mayVote(job, node, holder)) continue
      node.claims ??= new Map()
      if (!node.claims.has(holder))
        node.claims.set(holder, {
          task: undefined,
          since: this.#context.now,
          progress: 0,
          leaf: false,
          second: false,
        })
      job.claim(node, holder)
      // What waits for a worker here, or for its children, is left to who has begun it as well. Two that both claim it are told by a replica.
      const { frame } = node
      if (frame === undefined || frame.from === holder || node.denied?.has(holder) === true) continue
      // What is done for the second time is done since its holder is too slow, or, as far as anybody knows after a partition, since nobody heard of that one.
      if (frame.second && lookup.until === 0) continue
      const isAtWork = frame.state === 'running' && frame.spawned === 0
      // After a partition one of two holders yields: the one that replicas would tell to.
      const isLast = lookup.until > 0 && holder < self
      if (frame.state === 'lookup' || ((!frame.claimed || frame.second || isLast) && !isAtWork)) execution.yield(job, node, holder)
    }
    const { next } = message
    if (next === undefined ? !message.last : this.#turnPage(message.request, lookup, from, asked, next)) return
    lookup.open.delete(from)
    if (lookup.open.size === 0) this.#finish(message.request, lookup)
  }

  gone(member: MemberId): void {
    for (const [request, lookup] of this.#open) if (lookup.open.delete(member) && lookup.open.size === 0) this.#finish(request, lookup)
  }

  forget(job: JobId): void {
    for (const [request, lookup] of this.#open) if (lookup.job.id === job) this.#open.delete(request)
    for (const each of this.#waiting.keys()) if (each.id === job) this.#waiting.delete(each)
  }

  /** Asks a replica for its next page. False where there is none, by what it says, or by what is to be believed. */
  #turnPage(request: number, lookup: Lookup, from: MemberId, { paths, page, bytes, total }: Asked, { at, after }: NextPage): boolean {
    const { now, config } = this.#context
    const isBelieved = bytes >= LEAST_PAGE && total + bytes <= MOST_TOLD * config.coverageBytes
    if (!isBelieved || at >= paths.length || lookup.job.ended !== undefined) return false
    const asked = { paths: paths.slice(at), after, page: page + 1, bytes: 0, total: total + bytes }
    lookup.open.set(from, asked)
    lookup.deadline = Math.max(lookup.deadline, now + config.requestTimeout)
    this.#sendTo(from, request, lookup.job, asked)
    return true
  }

  get #settling(): Milliseconds {
    const { config, members } = this.#context
    return config.settleAfterDeath + Math.ceil(4 * members.longestRoundTrip)
  }

  #ask(job: Job, nodes: readonly TaskNode[], until: Milliseconds): void {
    const { self, now, config, members } = this.#context
    const request = this.#next++
    const asked = new Set([...this.#context.keepers(job), ...nodes.flatMap(votersOf).filter((id) => members.has(id))])
    asked.delete(self)
    const paths = outermost(nodes)
    const open = new Map([...asked].map((replica) => [replica, { paths, after: undefined, page: 0, bytes: 0, total: 0 }]))
    const lookup = { job, nodes, open, deadline: now, retransmitAfter: config.requestTimeout, until }
    if (asked.size === 0) {
      this.#finish(request, lookup)
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
    // What came of a page that is asked for again comes again.
    asked.bytes = 0
    this.#context.send(replica, { type: 'lookup', job: id, request, paths, page, ...(after !== undefined && { after }) })
  }

  #finish(request: number, { job, nodes }: Lookup): void {
    this.#open.delete(request)
    for (const node of nodes) if (job.ended === undefined) this.#execution().lookedUp(job, node)
  }
}

/** Tasks in lots whose paths have room in one request. */
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

/** The paths of tasks, without those below others: these are told of anyway. */
function outermost(nodes: readonly TaskNode[]): Path[] {
  const all = new Set(nodes)
  const isBelow = ({ parent }: TaskNode): boolean => {
    for (let above = parent; above !== undefined; above = above.parent) if (all.has(above)) return true
    return false
  }
  return nodes.filter((node) => !isBelow(node)).map(({ path }) => path)
}
