import { setTimeout as delay } from 'node:timers/promises'
import type { Stream } from '@libp2p/interface'
import { ANSWER_PROTOCOL, type OverlayNotification } from '@jel/overlay'
import { defaultConfig, targetsLimit } from '@jel/protocol'
import { raceSignal } from 'race-signal'
import { ChangeQueue } from './changes.ts'
import { InvalidOptionError } from './errors.ts'
import type { Member } from './member.ts'
import type { PoolHost } from './pool-host.ts'
import { matching, type QueryFilter } from './query-filter.ts'
import { toBytes } from './text.ts'

/** One member's answer to a query. */
export interface Answer {
  /** The member that answered. */
  readonly from: Member
  /** At most 1,024 bytes. */
  readonly payload: Uint8Array
}

/**
 * Answers a query with at most 1,024 bytes; text is sent as UTF-8. Undefined: this member gives no
 * answer. `signal` aborts when nobody waits for the answer any more.
 */
export type QueryHandler = (
  payload: Uint8Array,
  from: Member,
  signal: AbortSignal,
) => Uint8Array | string | undefined | Promise<Uint8Array | string | undefined>

/** The options of a query. */
export interface QueryOptions {
  /**
   * How long to wait for answers, ms; at most ten minutes. Default: 5 s, or 10 ms per asked member
   * if more than 500 are asked.
   */
  timeout?: number
  /** Ends the query: the iteration throws `signal.reason`. */
  signal?: AbortSignal
  /** Selects the members to ask. Default: all members. */
  filter?: QueryFilter
}

type Asked = Extract<OverlayNotification, { type: 'query' }>

const { payloadBytes } = defaultConfig.limits
/**
 * Members delay their answers by up to this much per asked member, ms, and by at most half of the
 * timeout. Guess: a connection with its handshakes costs the asker less.
 */
const SPREAD = 5
/** Shortest default timeout of a query, ms. Guess: a few seconds, as those of Serf. */
const TIMEOUT = 5_000
/** An answer begins with the asker's number of its query. */
const ID_BYTES = 4
/** Longest time for sending or receiving an answer, ms. Guess. */
const READ_TIMEOUT = 10_000
/**
 * Queries answered at a time, of all members and of one member. Further queries are not answered.
 * Guess.
 */
const ANSWERS_LIMIT = { all: 64, each: 8 }

/**
 * How long queries of an unreachable asker are ignored, ms: it may have signed the address of
 * another host, which all members would dial. Guess.
 */
const UNREACHABLE = 60_000

/** A query of this node that waits for answers. */
interface Open {
  readonly queue: ChangeQueue<Answer>
  /** Ids of members that may still answer. */
  readonly waiting: Set<string>
  /** Whether only those were asked. */
  readonly isFiltered: boolean
  readonly answered: Set<string>
}

export interface QueriesEvents {
  readonly warn: (code: string, message: string) => void
  /** Returns the error that a caller gets for an error of the host. */
  readonly named: (error: unknown) => unknown
}

/**
 * The queries that this node asks, and those that it answers. A question goes to all members as an
 * event does. Each answer goes directly to the asker.
 */
export class Queries {
  readonly #host: PoolHost
  readonly #events: QueriesEvents
  readonly #open = new Map<number, Open>()
  readonly #handlers = new Map<string, QueryHandler>()
  readonly #answering = new Map<string, number>()
  /**
   * Until when each unreachable asker is ignored. Askers are members of the view, so there are no
   * more entries than members.
   */
  readonly #unreachable = new Map<string, number>()
  readonly #closing = new AbortController()
  #listening: Promise<void> | undefined
  #last = Math.floor(Math.random() * 2 ** 32)

  constructor(host: PoolHost, events: QueriesEvents) {
    this.#host = host
    this.#events = events
  }

  ask(name: string, payload: Uint8Array, { timeout, signal, filter }: QueryOptions): AsyncIterableIterator<Answer, undefined> {
    const members = matching(filter, this.#host.members())
    const time = timeout ?? Math.max(TIMEOUT, 2 * SPREAD * members.length)
    this.#last = (this.#last + 1) % 2 ** 32
    const id = this.#last
    const abort = (): void => queue.fail(signal?.reason as Error)
    const timer = setTimeout(() => queue.close(), time)
    const queue = new ChangeQueue<Answer>([], Infinity, () => {
      this.#open.delete(id)
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
    const waiting = new Set(members.map((member) => member.id))
    const open = { queue, waiting, isFiltered: filter !== undefined, answered: new Set<string>() }
    this.#open.set(id, open)
    signal?.addEventListener('abort', abort)
    if (waiting.size === 0) queue.close()
    else void this.#send(name, payload, { id, timeout: time }, open)
    return queue
  }

  answer(name: string, handler: QueryHandler, signal: AbortSignal | undefined): void {
    if (this.#handlers.has(name)) throw new InvalidOptionError(`name: queries named ${JSON.stringify(name)} are answered already`)
    this.#handlers.set(name, handler)
    signal?.addEventListener('abort', () => this.#handlers.delete(name), { once: true })
  }

  /** Handles a query of a member. */
  async asked({ name, payload, from, id, timeout, asked }: Asked): Promise<void> {
    const handler = this.#handlers.get(name)
    if (handler === undefined || performance.now() < (this.#unreachable.get(from.id) ?? 0)) return
    const under = this.#answering.get(from.id) ?? 0
    const all = [...this.#answering.values()].reduce((sum, each) => sum + each, 0)
    if (under >= ANSWERS_LIMIT.each || all >= ANSWERS_LIMIT.all) {
      this.#events.warn('QUERY_UNANSWERED', `a query ${JSON.stringify(name)} of ${from.id} is not answered: too many are being`)
      return
    }
    this.#answering.set(from.id, under + 1)
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeout)])
      const bytes = toBytes(await raceSignal(Promise.resolve(handler(payload, from, signal)), signal))
      if (bytes !== undefined) await this.#reply(from, id, checked(bytes), Math.min(SPREAD * asked, timeout / 2), signal)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#closing.signal.aborted) this.#events.warn('QUERY_UNANSWERED', `a query ${JSON.stringify(name)} of ${from.id}: ${reason}`)
    } finally {
      const left = (this.#answering.get(from.id) ?? 1) - 1
      if (left === 0) this.#answering.delete(from.id)
      else this.#answering.set(from.id, left)
    }
  }

  /** Handles the end of a member: nobody waits for its answer any more. */
  gone(id: string): void {
    for (const open of this.#open.values()) this.#heard(open, id)
    this.#unreachable.delete(id)
  }

  close(error: Error): void {
    this.#closing.abort(error)
    this.#handlers.clear()
    for (const { queue } of this.#open.values()) queue.fail(error)
  }

  async #send(name: string, payload: Uint8Array, terms: { readonly id: number; readonly timeout: number }, open: Open): Promise<void> {
    try {
      this.#listening ??= this.#host.handle(ANSWER_PROTOCOL, (stream, from) => this.#receive(stream, from))
      await this.#listening
      if (!open.isFiltered) await this.#host.broadcast(name, payload, terms)
      const ids = open.isFiltered ? [...open.waiting] : []
      for (let at = 0; at < ids.length; at += targetsLimit)
        await this.#host.broadcast(name, payload, { ...terms, to: ids.slice(at, at + targetsLimit) })
    } catch (error) {
      open.queue.fail(this.#events.named(error) as Error)
    }
  }

  /**
   * Many members answer at once. Each waits for a random time that grows with their number, so that
   * the asker can keep up.
   */
  async #reply(to: Member, id: number, payload: Uint8Array, spread: number, signal: AbortSignal): Promise<void> {
    if (to.id === this.#host.self.id) {
      this.#take(id, to.id, payload)
      return
    }
    await delay(Math.random() * spread, undefined, { signal, ref: false })
    const stream = await this.#reach(to.id, signal)
    const message = new Uint8Array(ID_BYTES + payload.length)
    new DataView(message.buffer).setUint32(0, id)
    message.set(payload, ID_BYTES)
    stream.send(message)
    await stream.close({ signal: AbortSignal.timeout(READ_TIMEOUT) })
  }

  async #reach(id: string, signal: AbortSignal): Promise<Stream> {
    try {
      return await this.#host.open(id, ANSWER_PROTOCOL, { signal })
    } catch (error) {
      this.#unreachable.set(id, performance.now() + UNREACHABLE)
      throw error
    }
  }

  /** Receives one answer. Ends the stream of a member that sends anything else. */
  async #receive(stream: Stream, from: string): Promise<void> {
    const timer = setTimeout(() => stream.abort(new Error('an answer that takes too long')), READ_TIMEOUT)
    try {
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of stream) {
        bytes += piece.byteLength
        if (bytes > ID_BYTES + payloadBytes) throw new RangeError(`an answer has at most ${payloadBytes} bytes`)
        pieces.push(piece.subarray())
      }
      if (bytes < ID_BYTES) throw new RangeError('an answer to nothing')
      const message = new Uint8Array(Buffer.concat(pieces))
      this.#take(new DataView(message.buffer).getUint32(0), from, message.slice(ID_BYTES))
      await stream.close()
    } finally {
      clearTimeout(timer)
    }
  }

  /** Takes at most one answer of each member that was asked. Ignores late answers. */
  #take(id: number, from: string, payload: Uint8Array): void {
    const open = this.#open.get(id)
    const member = this.#host.members().find((each) => each.id === from)
    if (open === undefined || member === undefined || open.answered.has(from)) return
    if (open.isFiltered && !open.waiting.has(from)) return
    open.answered.add(from)
    open.queue.push({ from: member, payload })
    this.#heard(open, from)
  }

  /** Stops waiting for a member that answered or has gone. The last one ends the query. */
  #heard({ waiting, queue }: Open, id: string): void {
    if (waiting.delete(id) && waiting.size === 0) queue.close()
  }
}

function checked(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('an answer is a Uint8Array, a string or undefined')
  if (bytes.length > payloadBytes) throw new RangeError(`an answer has at most ${payloadBytes} bytes, not ${bytes.length}`)
  return bytes
}
