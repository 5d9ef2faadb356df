import { isWithin, type Member, type Pool } from '@jel/jel'
import { InvalidWatchError } from '../errors.ts'
import { aggregators } from '../core/sites.ts'
import { Expression } from '../expression/expression.ts'
import type { Milliseconds } from '../core/sensor.ts'
import { parseWatch, type ParsedWatch, type WatchSpec } from '../core/watch-spec.ts'
import { lookupOf } from './constants.ts'
import { EventQueue } from './event-queue.ts'
import { WatchedMember, type MemberEvent, type WatchEvent } from './watch-client.ts'
import { WATCH_PROTOCOL, type WatchAnswer } from '../core/watch-messages.ts'

/**
 * The pause before the first repeated attempt to open a stream to a member, ms. It doubles up to
 * the second value. Guesses.
 */
const [AGAIN, SELDOM]: readonly [Milliseconds, Milliseconds] = [500, 30_000]

/** Maximum number of former members whose last samples a watch remembers. A guess. */
const MAX_FORMER = 1024

/**
 * The members that a consumer watches. A member, also one that joins later, must meet all
 * conditions.
 */
export interface WatchFrom {
  /** Only these members. */
  readonly ids?: readonly string[] | undefined
  /** The end of the location, in levels: `delft@nl` finds `node7@rack2@delft@nl`. */
  readonly location?: string | undefined
  /** A condition over the constants of the members, as in `cpus >= 8`. */
  readonly where?: string | undefined
}

/** The members and samples that a consumer wants. */
export interface WatchOptions extends WatchSpec {
  /** Default: all members. */
  readonly from?: WatchFrom | undefined
  /**
   * `site`: one sample for each site, and not one for each member. A site is the last level of a
   * location. `reduce` combines the values of its members; default: their mean. One member of each
   * site aggregates, so a watch of a large pool needs few streams.
   */
  readonly by?: 'site' | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
}

/** Watches of attributes of this member itself. They need no stream. */
interface OwnWatches {
  /**
   * @param site whether to watch the site of this member
   * @returns a function that ends the watch
   */
  watch(spec: ParsedWatch, site: boolean, send: (message: object) => void): () => void
}

interface WatchParts {
  readonly pool: Pool
  readonly own: OwnWatches
  readonly closed: AbortSignal
}

/**
 * A watch of some attributes of some members. It begins when its reader begins, and ends with it.
 */
export class Watch implements AsyncIterable<WatchEvent | MemberEvent> {
  readonly #parts: WatchParts
  readonly #spec: WatchSpec
  readonly #parsed: ParsedWatch
  readonly #bySite: boolean
  readonly #from: WatchFrom
  readonly #where: Expression | undefined
  readonly #events = new EventQueue<WatchEvent | MemberEvent>()
  readonly #end = new AbortController()
  /**
   * For each target the member that is followed, and the controller that ends its stream. A target
   * is the id of a member, or a site.
   */
  readonly #followed = new Map<string, { readonly member: string; readonly end: AbortController }>()
  /**
   * The entry of a member stays after its death: a member that is back may have samples that this
   * consumer missed.
   */
  readonly #members = new Map<string, WatchedMember>()
  /** Members that failed as aggregators, and the time until which they are not chosen. */
  readonly #failed = new Map<string, Milliseconds>()

  /** @throws InvalidWatchError, InvalidExpressionError */
  constructor(parts: WatchParts, { from = {}, by, signal, ...spec }: WatchOptions) {
    this.#parts = parts
    this.#bySite = by === 'site'
    this.#parsed = parseWatch(spec, { bySite: this.#bySite })
    if (this.#bySite) checkSite(from, spec)
    this.#spec = spec
    this.#from = from
    this.#where = from.where === undefined ? undefined : Expression.parse(from.where)
    for (const each of [signal, parts.closed]) {
      if (each?.aborted === true) this.close()
      each?.addEventListener('abort', () => this.close(), { signal: this.#end.signal })
    }
  }

  /** The number of events that were dropped because the reader was slow. */
  get lost(): number {
    return this.#events.lost
  }

  close(): void {
    this.#end.abort()
    for (const { end } of this.#followed.values()) end.abort()
    this.#events.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent | MemberEvent, void> {
    const { signal } = this.#end
    const { pool } = this.#parts
    for (const type of ['joined', 'updated'] as const) pool.addEventListener(type, () => this.#review(), { signal })
    for (const type of ['died', 'left'] as const) pool.addEventListener(type, ({ detail }) => this.#ended(detail.id, type), { signal })
    this.#review()
    try {
      yield* this.#events
    } finally {
      this.close()
    }
  }

  /** Begins to follow new targets, and ceases to follow members that are no targets any more. */
  #review(): void {
    if (this.#end.signal.aborted) return
    const targets = this.#targets()
    for (const [name, { member, end }] of this.#followed) {
      if (targets.get(name) === member) continue
      end.abort()
      this.#followed.delete(name)
    }
    for (const [name, member] of targets) if (!this.#followed.has(name)) this.#begin(name, member)
  }

  /**
   * Returns the member to follow for each target: the member itself, or the aggregator of the site.
   */
  #targets(): ReadonlyMap<string, string> {
    const members = this.#parts.pool.members().filter((member) => this.#isWanted(member))
    if (!this.#bySite) return new Map(members.map(({ id }) => [id, id]))
    const now = performance.now()
    const chosen = aggregators(members, ({ id }) => (this.#failed.get(id) ?? 0) <= now)
    return new Map([...chosen].map(([site, { id }]) => [site, id]))
  }

  /**
   * Begins to follow the member of a target. The samples of that member become events of this
   * watch.
   *
   * If the target is a member, the `WatchedMember` of former streams goes on, if there is one. It
   * knows the last sample, so the member sends those that this consumer missed. If the target is a
   * site, it gets a new one, since each aggregator numbers its samples by itself.
   *
   * This member itself needs no stream.
   */
  #begin(name: string, member: string): void {
    const end = new AbortController()
    this.#followed.set(name, { member, end })
    const emit = (event: WatchEvent | MemberEvent): void =>
      this.#events.push(this.#bySite && event.type === 'sample' ? { ...event, site: name } : event)
    const watched = this.#members.get(name) ?? new WatchedMember(member, this.#spec.attributes, emit)
    if (!this.#bySite) this.#members.set(name, watched)
    // Above the limit, the oldest one is forgotten, unless it is followed.
    const [oldest = name] = this.#members.keys()
    if (this.#members.size > MAX_FORMER + this.#followed.size && !this.#followed.has(oldest)) this.#members.delete(oldest)
    if (member === this.#parts.pool.self.id) {
      const stop = this.#parts.own.watch(this.#parsed, this.#bySite, (message) => void watched.take(message as WatchAnswer))
      end.signal.addEventListener('abort', stop, { once: true })
    } else void this.#follow(member, watched, end.signal)
  }

  #ended(member: string, reason: 'died' | 'left'): void {
    const isFollowed = [...this.#followed.values()].some((each) => each.member === member)
    this.#review()
    if (isFollowed) this.#events.push({ type: 'ended', member, reason })
  }

  #isWanted(member: Member): boolean {
    const { ids, location } = this.#from
    if (ids?.includes(member.id) === false) return false
    if (location !== undefined && !isWithin(member, location)) return false
    if (this.#where === undefined) return true
    return this.#where.evaluate(lookupOf(member)) === true
  }

  /** Keeps a stream to a member until the member is no target any more, or refuses. */
  async #follow(member: string, watched: WatchedMember, signal: AbortSignal): Promise<void> {
    for (let wait = AGAIN; !signal.aborted; wait = Math.min(2 * wait, SELDOM)) {
      const began = performance.now()
      try {
        const stream = await this.#parts.pool.open(member, WATCH_PROTOCOL, { signal })
        if (!(await watched.follow(stream, this.#spec, this.#bySite, signal))) return
      } catch (error) {
        if (signal.aborted) return
        const { code = 'NO_ANSWER', message } = error as { code?: string; message: string }
        this.#events.push({ type: 'refused', member, code, message })
        if (this.#bySite) {
          this.#failed.set(member, performance.now() + SELDOM)
          this.#review()
          // If no other member can aggregate this site, the member gets another try after the
          // pause.
          await pause(SELDOM, this.#end.signal)
          this.#review()
          return
        }
      }
      if (performance.now() - began > SELDOM) wait = AGAIN
      await pause(wait, signal)
    }
  }
}

function checkSite({ ids, where }: WatchFrom, { when, change, over }: WatchSpec): void {
  const given = Object.entries({ 'from.ids': ids, 'from.where': where, when, change, over }).find(([, value]) => value !== undefined)
  if (given !== undefined) throw new InvalidWatchError(`${given[0]}: a watch by site takes location, every and reduce only`)
}

/** Waits for this time, ms, or until the signal aborts. */
async function pause(time: Milliseconds, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, time)
  const stop = (): void => resolve()
  signal.addEventListener('abort', stop, { once: true })
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
}
