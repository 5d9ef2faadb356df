import type { MemberId, Milliseconds } from './ids.ts'
import type { FunctionWork, MemberWork, Totals, Work } from './messages.ts'

/** The work that a member reported. */
interface ReportedWork extends Work {
  readonly heardAt: Milliseconds
}

/** Maximum number of functions whose times a member keeps. A guess: programs have few. */
export const MAX_KINDS = 16
/**
 * Maximum number of functions of one member in an explanation. A guess: a display shows each second
 * of a member in the colour of one function.
 */
export const MAX_MEMBER_KINDS = 4
/** Weight of the latest task in the moving average of task times. A guess. */
const LATEST = 0.1

/** The work for one job: the work of this member, and the work that others reported. */
export class JobWork {
  readonly own: { begun: number; finished: number; ran: Milliseconds } = { begun: 0, finished: 0, ran: 0 }
  /** The work that other members reported. */
  readonly others = new Map<MemberId, ReportedWork>()
  /** For each function the longest time that one of its tasks kept a worker here busy. */
  readonly longest = new Map<string, Milliseconds>()
  /** The ended tasks of each function here. */
  readonly functions = new Map<string, { finished: number; failed: number; ran: Milliseconds }>()
  /**
   * Moving average of the time that a task keeps a worker here busy, ms; undefined: no task ended
   * yet.
   */
  taskTime: Milliseconds | undefined
  /** The latest totals that another member sent. */
  totals: Totals | undefined

  /**
   * A task gave an outcome here. `fn`: its function; undefined if this member no longer knows it.
   */
  finished(fn: string | undefined, ran: Milliseconds, isFailure = false): void {
    this.own.finished++
    this.own.ran += ran
    this.taskTime = this.taskTime === undefined ? ran : this.taskTime + LATEST * (ran - this.taskTime)
    if (fn === undefined) return
    add(this.functions, { fn, finished: 1, failed: Number(isFailure), ran })
    const longest = this.longest.get(fn)
    if (longest === undefined ? this.longest.size < MAX_KINDS : ran > longest) this.longest.set(fn, ran)
  }

  /** Returns the longest time of a task of this function at members other than the holders, ms. */
  longestOf(fn: string, self: MemberId, holders: { has(member: MemberId): boolean }): Milliseconds {
    let longest = holders.has(self) ? 0 : (this.longest.get(fn) ?? 0)
    for (const [member, { longest: times = [] }] of this.others) {
      if (member === self || holders.has(member)) continue
      for (const [name, time] of times) if (name === fn) longest = Math.max(longest, time)
    }
    return longest
  }

  /**
   * Returns the sum of this member's work and of all reported work, or the received totals if they
   * are larger.
   */
  totalsAt(self: MemberId): Totals {
    let { begun, finished, ran } = this.own
    let members = begun > 0 ? 1 : 0
    for (const [member, work] of this.others) {
      if (member === self) continue
      begun += work.begun
      finished += work.finished
      ran += work.ran
      if (work.begun > 0) members++
    }
    return this.totals !== undefined && this.totals.begun > begun ? this.totals : { begun, finished, ran, members }
  }
}

/** Returns the tasks of each function at all members, the function with the most tasks first. */
export function functionsOf({ functions, others }: Pick<JobWork, 'functions' | 'others'>, self: MemberId): FunctionWork[] {
  const sums: JobWork['functions'] = new Map([...functions].map(([fn, work]) => [fn, { ...work }]))
  for (const [member, work] of others) if (member !== self) for (const each of work.functions ?? []) add(sums, each, Infinity)
  return listOf(sums)
    .sort((a, b) => b.finished - a.finished)
    .slice(0, MAX_KINDS)
}

/** Returns the work of each member. `self`: this member, with its tasks that run and wait. */
export function byMember(
  { own, functions: ownFunctions, others }: Pick<JobWork, 'own' | 'functions' | 'others'>,
  self: Pick<MemberWork, 'member' | 'running' | 'waiting' | 'oldest'>,
  now: Milliseconds,
): MemberWork[] {
  const reported = [...others].filter(([member]) => member !== self.member)
  return [
    { ...own, ...self, ...longestFunctions(listOf(ownFunctions)) },
    ...reported.map(([member, { begun, finished, ran, running = 0, waiting = 0, functions, oldest, heardAt }]) => ({
      member,
      begun,
      finished,
      ran,
      running,
      waiting,
      ...longestFunctions(functions),
      ...(oldest && { oldest: oldest.map((task) => ({ ...task, age: task.age + now - heardAt })) }),
    })),
  ]
}

/** Returns the functions of a member that took the most time. */
function longestFunctions(functions: readonly FunctionWork[] = []): Pick<MemberWork, 'functions'> {
  return functions.length === 0 ? {} : { functions: functions.toSorted((a, b) => b.ran - a.ran).slice(0, MAX_MEMBER_KINDS) }
}

/** Returns the functions as a list, for a message. */
export function listOf(functions: JobWork['functions']): FunctionWork[] {
  return [...functions].map(([fn, work]) => ({ fn, ...work }))
}

function add(sums: JobWork['functions'], { fn, finished, failed, ran }: FunctionWork, most = MAX_KINDS): void {
  const known = sums.get(fn)
  if (known === undefined) {
    if (sums.size < most) sums.set(fn, { finished, failed, ran })
    return
  }
  known.finished += finished
  known.failed += failed
  known.ran += ran
}
