import type { JobsEvent } from '../events/job-messages.ts'
import { JobGrowth, type Growth } from './job-growth.ts'

/**
 * The length of the stream. As on Dask's dashboard it is so short that a second has some pixels.
 */
export const SECONDS = 60
/**
 * The kind of functions without a colour of their own, and of work whose function is unknown. It
 * follows the kinds with a colour: the page has eight hues.
 */
export const OTHERS = 8
/** Maximum number of strips. Guess: more do not fit on a screen. */
const MOST_STRIPS = 16
/** The seconds that are kept for a member: those shown, and the present one, which is not over. */
const KEPT = SECONDS + 2

/** The work of a member in one second. */
export interface Cell {
  /** The function that kept its workers busy longest: its place among the colours, or `OTHERS`. */
  readonly kind: number
  /** How busy its workers were, 0 to 1, compared with the busiest second that is shown. */
  readonly busy: number
  readonly failed: number
  /** Tasks ran or waited there. Their time is known when they end. */
  readonly isOpen: boolean
}

/** The last minute of a member. */
export interface Strip {
  readonly member: string
  /** A cell for each of `SECONDS`, the latest last. */
  readonly cells: readonly Cell[]
  /** Busy workers, the mean since its first busy second that is shown. */
  readonly workers: number
  /** Tasks that failed. */
  readonly failed: number
}

/** The stream of tasks of all jobs in the last minute. */
export interface StreamView {
  /** The busiest members first. */
  readonly strips: readonly Strip[]
  /** The number of members that have no strip. */
  readonly more: number
  /** The functions with the most time first, and their share of the time of all members. */
  readonly functions: readonly { readonly fn: string | undefined; readonly kind: number; readonly share: number }[]
}

interface Second {
  readonly at: number
  /** Busy time by kind, ms. */
  readonly ran: number[]
  failed: number
  isOpen: boolean
}

/**
 * The recent work of the members, second by second, from events `jobs`. These have sums, so a
 * stream costs the same at any rate of tasks.
 */
export class TaskStream {
  readonly #growth = new JobGrowth()
  /** A ring of seconds for each member. */
  readonly #members = new Map<string, Second[]>()
  /** The function of each colour, and when it last ended a task. */
  readonly #kinds: { readonly fn: string; readonly seen: number }[] = []

  /**
   * Takes an event. `now`: ms. `isMember`: only the work of members counts, since a hostile replica
   * may invent thousands of workers.
   */
  take(event: JobsEvent, now: number, isMember: (id: string) => boolean = () => true): void {
    for (const growth of this.#growth.take(event, now)) if (isMember(growth.member)) this.#add(growth)
    const present = Math.floor(now / 1000)
    for (const { workers } of event.jobs) {
      for (const { member, running } of workers) {
        // Events are not exactly a second apart.
        if (running > 0 && isMember(member)) for (const at of [present - 1, present]) this.#secondOf(member, at).isOpen = true
      }
    }
    for (const [member, ring] of this.#members) if (ring.every(({ at }) => at < present - SECONDS)) this.#members.delete(member)
  }

  /** Returns the place of a function among the colours. */
  kindOf(fn: string): number {
    const at = this.#kinds.findIndex((known) => known.fn === fn)
    return at < 0 ? OTHERS : at
  }

  /** Returns the minute before `now`. `now` is in ms. */
  view(now: number): StreamView {
    const end = Math.floor(now / 1000)
    const sums = Array.from({ length: OTHERS + 1 }, () => 0)
    const all: (Strip & { readonly rank: number })[] = []
    for (const [member, ring] of this.#members) {
      const seconds = Array.from({ length: SECONDS }, (_, i) => secondAt(ring, end - SECONDS + i))
      if (!seconds.some((second) => second !== undefined)) continue
      for (const second of seconds) for (const [kind, ran] of second?.ran.entries() ?? []) sums[kind] = (sums[kind] ?? 0) + ran
      all.push(stripOf(member, seconds))
    }
    all.sort((one, other) => other.rank - one.rank || (one.member < other.member ? -1 : 1))
    const total = sum(sums)
    const functions = sums.flatMap((ran, kind) => (ran > 0 ? [{ fn: this.#kinds[kind]?.fn, kind, share: ran / total }] : []))
    return {
      strips: all.slice(0, MOST_STRIPS),
      more: Math.max(0, all.length - MOST_STRIPS),
      functions: functions.sort((one, other) => other.share - one.share),
    }
  }

  #add({ member, fn, from, to, ran, failed }: Growth): void {
    const kind = fn === undefined ? OTHERS : this.#takeKind(fn, to)
    const last = Math.floor((to - 1) / 1000)
    for (let at = Math.max(Math.floor(from / 1000), last - SECONDS); at <= last; at++) {
      const shared = Math.min(to, (at + 1) * 1000) - Math.max(from, at * 1000)
      const { ran: times } = this.#secondOf(member, at)
      times[kind] = (times[kind] ?? 0) + (ran * shared) / (to - from)
    }
    if (failed > 0) this.#secondOf(member, last).failed += failed
  }

  /** Returns the colour of a function. A colour is free again once its function is not shown. */
  #takeKind(fn: string, now: number): number {
    let at = this.#kinds.findIndex((known) => known.fn === fn)
    if (at < 0) at = this.#kinds.findIndex(({ seen }) => now - seen > KEPT * 1000)
    if (at < 0) at = this.#kinds.length
    if (at >= OTHERS) return OTHERS
    this.#kinds[at] = { fn, seen: now }
    return at
  }

  #secondOf(member: string, at: number): Second {
    const ring = this.#members.get(member) ?? []
    this.#members.set(member, ring)
    const known = secondAt(ring, at)
    if (known !== undefined) return known
    const made = { at, ran: Array.from({ length: OTHERS + 1 }, () => 0), failed: 0, isOpen: false }
    ring[at % KEPT] = made
    return made
  }
}

function secondAt(ring: readonly Second[], at: number): Second | undefined {
  const found = ring[at % KEPT]
  return found?.at === at ? found : undefined
}

function stripOf(member: string, seconds: readonly (Second | undefined)[]): Strip & { readonly rank: number } {
  const times = seconds.map((second) => sum(second?.ran ?? []))
  const total = sum(times)
  // The counts of more than a second may arrive in one second. So the number of workers is rounded.
  const most = 1000 * Math.max(1, Math.round(Math.max(...times) / 1000))
  const first = times.findIndex((time) => time > 0)
  let end = times.length
  while (end > first + 1 && times[end - 1] === 0 && seconds[end - 1]?.isOpen === true) end--
  return {
    member,
    cells: seconds.map((second, at) => ({
      kind: longestOf(second?.ran ?? []),
      busy: Math.min(1, (times[at] ?? 0) / most),
      failed: second?.failed ?? 0,
      isOpen: second?.isOpen ?? false,
    })),
    workers: first < 0 ? 0 : total / 1000 / (end - first),
    failed: sum(seconds.map((second) => second?.failed ?? 0)),
    // Members that are about as busy keep their order.
    rank: Math.round(2 * Math.log2(1 + total)),
  }
}

function longestOf(ran: readonly number[]): number {
  const most = Math.max(0, ...ran)
  return most === 0 ? OTHERS : ran.indexOf(most)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
