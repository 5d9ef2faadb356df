import type { JobOverview, JobsEvent } from '../events/job-messages.ts'
import { isOverJob } from './jobs.ts'

/** Tasks of one function that a member ended between two events. */
export interface Growth {
  readonly member: string
  /** Undefined: the event does not say which function it was. */
  readonly fn: string | undefined
  /** The span in which these tasks ran, on the clock of the events, ms. */
  readonly from: number
  readonly to: number
  /** Time that they kept workers busy, ms. */
  readonly ran: number
  readonly failed: number
}

type Worker = JobOverview['workers'][number]

interface Counts {
  readonly finished: number
  readonly failed: number
  readonly ran: number
}

interface Known {
  readonly finished: number
  readonly ran: number
  readonly functions: ReadonlyMap<string, Counts>
  /** When the counts last changed, and when an event last had them. */
  readonly changed: number
  readonly seen: number
}

interface KnownJob {
  readonly workers: Map<string, Known>
  /** A member that is not listed has done nothing. */
  readonly isComplete: boolean
}

/**
 * Maximum number of members in an event, and of functions of a member. `@jel/compute` has the same
 * limits.
 */
const MOST_MEMBERS = 64
const MOST_FUNCTIONS = 4
/**
 * The time by which counts may be old, ms. Members report each second, and the node is asked each
 * second, so counts may miss one event. Guess: messages take half a second.
 */
const LATE = 1_500
/** The time after which a member that is not listed is forgotten, ms. The page shows no more. */
const FORGET = 60_000

const NOTHING: Counts = { finished: 0, failed: 0, ran: 0 }

/**
 * The work that members did between two `jobs` events. These events have sums since the beginning
 * of a job.
 */
export class JobGrowth {
  #jobs = new Map<string, KnownJob>()
  /** Whether the last event had all jobs. Then a job that it did not have is new. */
  #isComplete = false
  /** Whether no job of the last event could go on. Such an event is not repeated. */
  #isIdle = false
  #heard = 0

  /** Takes an event. `now`: ms. Returns the work since the event before. */
  take({ jobs, more }: JobsEvent, now: number): Growth[] {
    const known = new Map<string, KnownJob>()
    const grown: Growth[] = []
    const heard = this.#isIdle ? Math.max(this.#heard, now - LATE) : this.#heard
    const zero: Known = { finished: 0, ran: 0, functions: new Map(), changed: heard, seen: heard }
    for (const { job, begun, workers } of jobs) {
      const before = this.#jobs.get(job)
      const isFromZero = before?.isComplete ?? this.#isComplete
      const counted = new Map([...(before?.workers ?? [])].filter(([, { seen }]) => this.#heard - seen < FORGET))
      for (const worker of workers) {
        const last = counted.get(worker.member) ?? (isFromZero ? zero : undefined)
        if (last !== undefined) grown.push(...growthOf(worker, last, now))
        counted.set(worker.member, countsOf(worker, last, now))
      }
      const isListed = workers.length > 0 || begun === 0
      known.set(job, { workers: counted, isComplete: isListed && workers.length < MOST_MEMBERS })
    }
    this.#jobs = known
    this.#isComplete = more === 0
    this.#isIdle = jobs.every(isOverJob)
    this.#heard = now
    return grown
  }
}

function countsOf({ finished, ran, functions = [] }: Worker, last: Known | undefined, now: number): Known {
  const isSame = last?.finished === finished && last.ran === ran
  return {
    finished,
    ran,
    functions: new Map(functions.map(({ fn, ...counts }) => [fn, counts])),
    changed: isSame ? last.changed : now,
    seen: now,
  }
}

/**
 * Returns the growth since the last counts. If a count fell, the member began to count anew, and
 * there is no known growth.
 */
function growthOf({ member, functions = [], ...work }: Worker, last: Known, now: number): Growth[] {
  let rest = { finished: work.finished - last.finished, ran: work.ran - last.ran }
  if (rest.finished < 0 || rest.ran < 0) return []
  const since = Math.max(last.changed, last.seen - LATE)
  const grown: Growth[] = []
  const add = (fn: string | undefined, { finished, failed, ran }: Counts): void => {
    if (finished === 0 && ran === 0) return
    // A task of thirty seconds adds its time when it ends, but it ran before.
    const each = finished === 0 ? 0 : ran / finished
    grown.push({ member, fn, from: Math.min(since, now - each, now - 1), to: now, ran, failed })
  }
  for (const { fn, ...counts } of functions) {
    // A list that was not full had all functions. So this function is new.
    const before = last.functions.get(fn) ?? (last.functions.size < MOST_FUNCTIONS ? NOTHING : counts)
    const finished = Math.min(rest.finished, Math.max(0, counts.finished - before.finished))
    const ran = Math.min(rest.ran, Math.max(0, counts.ran - before.ran))
    const failed = Math.min(finished, Math.max(0, counts.failed - before.failed))
    rest = { finished: rest.finished - finished, ran: rest.ran - ran }
    add(fn, { finished, failed, ran })
  }
  add(undefined, { ...rest, failed: 0 })
  return grown
}
