import type { Member, Pool } from '@jel/jel'
import { Expression } from '../expression/expression.ts'
import type { Milliseconds } from '../core/sensor.ts'
import { parseWatch, type ParsedWatch, type WatchSpec } from '../core/watch-spec.ts'
import type { Constants } from './constants.ts'
import { EventQueue } from './event-queue.ts'
import { WatchedMember, type MemberEvent, type WatchEvent } from './watch-client.ts'
import { WATCH_PROTOCOL, type WatchServer } from './watch-server.ts'
import type { WatchAnswer } from '../core/watch-messages.ts'

/** Wait before the first new stream to a member, ms. It doubles up to the second value. Guesses. */
const [AGAIN, SELDOM]: readonly [Milliseconds, Milliseconds] = [500, 30_000]

/** The members that a consumer watches: those that meet all conditions, newcomers too. */
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
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
}

interface WatchParts {
  readonly pool: Pool
  readonly constants: Constants
  /** Serves the attributes of this member itself. */
  readonly server: () => WatchServer
  readonly closed: AbortSignal
}

/** A watch of some attributes of some members, for as long as somebody reads it. */
export class Watch implements AsyncIterable<WatchEvent | MemberEvent> {
  readonly #parts: WatchParts
  readonly #spec: WatchSpec
  readonly #parsed: ParsedWatch
  readonly #from: WatchFrom
  readonly #where: Expression | undefined
  readonly #events = new EventQueue<WatchEvent | MemberEvent>()
  readonly #end = new AbortController()
  /** For each watched life the controller that ends its streams. */
  readonly #lives = new Map<string, AbortController>()
  /**
   * The watched members outlive their lives: a member that comes back may have samples of before.
   */
  readonly #members = new Map<string, WatchedMember>()

  /** @throws InvalidWatchError, InvalidExpressionError */
  constructor(parts: WatchParts, { from = {}, signal, ...spec }: WatchOptions) {
    this.#parts = parts
    this.#parsed = parseWatch(spec)
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
    for (const life of this.#lives.values()) life.abort()
    this.#events.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent | MemberEvent, void> {
    const { signal } = this.#end
    const { pool } = this.#parts
    for (const type of ['joined', 'updated'] as const) pool.addEventListener(type, ({ detail }) => this.#begin(detail), { signal })
    for (const type of ['died', 'left'] as const) pool.addEventListener(type, ({ detail }) => this.#ended(detail.id, type), { signal })
    for (const member of pool.members()) this.#begin(member)
    try {
      yield* this.#events
    } finally {
      this.close()
    }
  }

  #begin(member: Member): void {
    if (this.#end.signal.aborted || this.#lives.has(member.id) || !this.#isWanted(member)) return
    const life = new AbortController()
    this.#lives.set(member.id, life)
    const watched = this.#members.get(member.id) ?? new WatchedMember(member.id, this.#spec.attributes, (event) => this.#events.push(event))
    this.#members.set(member.id, watched)
    if (member.id === this.#parts.pool.self.id) {
      const end = this.#parts.server().watch(this.#parsed, (message) => void watched.take(message as WatchAnswer))
      life.signal.addEventListener('abort', end, { once: true })
    } else void this.#follow(member.id, watched, life.signal)
  }

  #ended(member: string, reason: 'died' | 'left'): void {
    const life = this.#lives.get(member)
    if (life === undefined) return
    this.#lives.delete(member)
    life.abort()
    this.#events.push({ type: 'ended', member, reason })
  }

  #isWanted({ id, location }: Member): boolean {
    const { ids, location: end } = this.#from
    if (ids?.includes(id) === false) return false
    if (end !== undefined && !`@${location}`.endsWith(`@${end}`)) return false
    if (this.#where === undefined) return true
    const constants = this.#parts.constants.of(id)
    return this.#where.evaluate((name) => (Object.hasOwn(constants, name) ? constants[name] : undefined)) === true
  }

  /** Keeps a stream to a member until its life ends, or it refuses. */
  async #follow(member: string, watched: WatchedMember, signal: AbortSignal): Promise<void> {
    for (let wait = AGAIN; !signal.aborted; wait = Math.min(2 * wait, SELDOM)) {
      const began = performance.now()
      try {
        const stream = await this.#parts.pool.open(member, WATCH_PROTOCOL, { signal })
        if (!(await watched.follow(stream, this.#spec, signal))) return
      } catch (error) {
        if (signal.aborted) return
        const { code = 'NO_ANSWER', message } = error as { code?: string; message: string }
        this.#events.push({ type: 'refused', member, code, message })
      }
      if (performance.now() - began > SELDOM) wait = AGAIN
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait)
        signal.addEventListener(
          'abort',
          () => {
            clearTimeout(timer)
            resolve()
          },
          { once: true },
        )
      })
    }
  }
}
