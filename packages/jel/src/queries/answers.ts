import { delay } from '../base/timers.ts'
import type { Stream } from '@libp2p/interface'
import type { OverlayNotification } from '@jel/overlay'
import { defaultConfig } from '@jel/protocol'
import { raceSignal } from 'race-signal'
import { toBytes } from '../base/arguments.ts'
import type { Member } from '../base/member.ts'
import { InvalidOptionError } from '../errors.ts'
import type { Session } from '../base/session.ts'
import { ANSWER_PROTOCOL, ID_BYTES, READ_TIMEOUT, SPREAD, type PendingQueries } from './pending-queries.ts'

/**
 * Answers a query with at most 1,024 bytes; text is sent as UTF-8. Undefined: this member gives no
 * answer. `signal` aborts when nobody waits for the answer any more.
 */
export type QueryHandler = (
  payload: Uint8Array,
  from: Member,
  signal: AbortSignal,
) => Uint8Array | string | undefined | Promise<Uint8Array | string | undefined>

type Query = Extract<OverlayNotification, { type: 'query' }>

const { payloadBytes } = defaultConfig.limits
/**
 * The number of queries that this node answers at a time: of all members together, and of each
 * member. It does not answer further queries. Guess.
 */
const ANSWERS_LIMIT = { all: 64, each: 8 }

/**
 * How long this node ignores the queries of an unreachable asker, ms. The asker may have signed the
 * address of another host, and all members would dial that host. Guess.
 */
const UNREACHABLE = 60_000

/** The answers of this node to queries. Each goes directly to the asker. */
export class Answers {
  readonly #session: Session
  readonly #own: PendingQueries
  readonly #handlers = new Map<string, QueryHandler>()
  /** For each member, the number of its queries that this node is answering. */
  readonly #answering = new Map<string, number>()
  /**
   * The time until which this node ignores each unreachable asker. The entry of a member ends with
   * the member.
   */
  readonly #unreachable = new Map<string, number>()
  readonly #closing = new AbortController()

  /** `own`: the queries of this node. It answers them as well. */
  constructor(session: Session, own: PendingQueries) {
    this.#session = session
    this.#own = own
  }

  add(name: string, handler: QueryHandler, signal: AbortSignal | undefined): void {
    if (this.#handlers.has(name)) throw new InvalidOptionError(`name: queries named ${JSON.stringify(name)} are answered already`)
    this.#handlers.set(name, handler)
    // The listener keeps this pool in memory, so it ends with the pool. The signal may live longer.
    signal?.addEventListener('abort', () => this.#handlers.delete(name), { once: true, signal: this.#closing.signal })
  }

  /** Handles a query of a member. */
  async answer({ name, payload, from, id, timeout, asked }: Query): Promise<void> {
    const handler = this.#handlers.get(name)
    if (handler === undefined || performance.now() < (this.#unreachable.get(from.id) ?? 0)) return
    const under = this.#answering.get(from.id) ?? 0
    const all = [...this.#answering.values()].reduce((sum, each) => sum + each, 0)
    if (under >= ANSWERS_LIMIT.each || all >= ANSWERS_LIMIT.all) {
      this.#session.warn('QUERY_UNANSWERED', `a query ${JSON.stringify(name)} of ${from.id} is not answered: too many are being`)
      return
    }
    this.#answering.set(from.id, under + 1)
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)])
      const bytes = toBytes(await raceSignal(Promise.resolve(handler(payload, from, signal)), signal))
      if (bytes !== undefined) await this.#reply(from, id, checked(bytes), Math.min(SPREAD * asked, timeout / 2), signal)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#closing.signal.aborted) this.#session.warn('QUERY_UNANSWERED', `a query ${JSON.stringify(name)} of ${from.id}: ${reason}`)
    } finally {
      const left = (this.#answering.get(from.id) ?? 1) - 1
      if (left === 0) this.#answering.delete(from.id)
      else this.#answering.set(from.id, left)
    }
  }

  gone(id: string): void {
    this.#unreachable.delete(id)
  }

  close(error: Error): void {
    this.#closing.abort(error)
    this.#handlers.clear()
  }

  /**
   * Sends an answer. Many members answer at once. Each waits for a random time that grows with the
   * number of asked members, so that the asker can keep up.
   */
  async #reply(to: Member, id: number, payload: Uint8Array, spread: number, signal: AbortSignal): Promise<void> {
    if (to.id === this.#session.host.self.id) {
      this.#own.take(id, to.id, payload)
      return
    }
    await delay(Math.random() * spread, signal)
    const stream = await this.#reach(to.id, signal)
    const message = new Uint8Array(ID_BYTES + payload.length)
    new DataView(message.buffer).setUint32(0, id)
    message.set(payload, ID_BYTES)
    stream.send(message)
    await stream.close({ signal: AbortSignal.timeout(READ_TIMEOUT) })
  }

  async #reach(id: string, signal: AbortSignal): Promise<Stream> {
    try {
      return await this.#session.host.open(id, ANSWER_PROTOCOL, { signal })
    } catch (error) {
      for (const [asker, until] of this.#unreachable) if (until <= performance.now()) this.#unreachable.delete(asker)
      // The asker may have left while its answer waited. In that case nothing would remove its
      // entry.
      if (this.#session.knows(id)) this.#unreachable.set(id, performance.now() + UNREACHABLE)
      throw error
    }
  }
}

function checked(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('an answer is a Uint8Array, a string or undefined')
  if (bytes.length > payloadBytes) throw new RangeError(`an answer has at most ${payloadBytes} bytes, not ${bytes.length}`)
  return bytes
}
