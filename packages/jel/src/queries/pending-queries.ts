import type { Stream } from '@libp2p/interface'
import { defaultConfig, targetsLimit } from '@jel/protocol'
import { ChangeQueue } from '../base/change-queue.ts'
import type { Member } from '../base/member.ts'
import type { Session } from '../base/session.ts'
import { matching, type QueryFilter } from './filter.ts'

/** One member's answer to a query. */
export interface Answer {
  /** The member that answered. */
  readonly from: Member
  /** At most 1,024 bytes. */
  readonly payload: Uint8Array
}

/** The answers to a query as they arrive. */
export interface Query extends AsyncIterableIterator<Answer, undefined> {
  /** The number of asked members. */
  readonly asked: number
}

/** The options of a query. */
export interface QueryOptions {
  /**
   * How long to wait for answers, ms; at most ten minutes. Default: 5 s, or 10 ms per asked member
   * if there are more than 500.
   */
  timeout?: number
  /** Ends the query: the iteration throws `signal.reason`. */
  signal?: AbortSignal
  /** Selects the members to ask. Default: all members. */
  filter?: QueryFilter
}

const { payloadBytes } = defaultConfig.limits
/** The protocol by which members answer queries. */
export const ANSWER_PROTOCOL = '/jel/query/1.0.0'
/** An answer begins with the number that the asker gave the query, in this many bytes. */
export const ID_BYTES = 4
/**
 * A member delays its answer by up to this time for each asked member, ms, and by at most half of
 * the timeout. Guess: a connection with its handshakes costs the asker less time.
 */
export const SPREAD = 5
/** Longest time for sending or receiving an answer, ms. Guess. */
export const READ_TIMEOUT = 10_000
/** Shortest default timeout of a query, ms. Guess: a few seconds, as in Serf. */
const TIMEOUT = 5_000

/** A query of this node that waits for answers. */
interface Open {
  readonly queue: ChangeQueue<Answer>
  /** Ids of members that may still answer. */
  readonly waiting: Set<string>
  /** Whether a filter selected the members to ask. */
  readonly isFiltered: boolean
  readonly answered: Set<string>
}

/**
 * The queries of this node. A question goes to all members as an event does. Each answer comes
 * directly from its member.
 */
export class PendingQueries {
  readonly #session: Session
  readonly #open = new Map<number, Open>()
  #listening: Promise<void> | undefined
  #last = Math.floor(Math.random() * 2 ** 32)

  constructor(session: Session) {
    this.#session = session
  }

  ask(name: string, payload: Uint8Array, { timeout, signal, filter }: QueryOptions): Query {
    const members = matching(filter, this.#session.host.members())
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
    return Object.assign(queue, { asked: members.length })
  }

  /** Handles the end of a member: no query waits for its answer any more. */
  gone(id: string): void {
    for (const open of this.#open.values()) this.#heard(open, id)
  }

  close(error: Error): void {
    for (const { queue } of this.#open.values()) queue.fail(error)
  }

  async #send(name: string, payload: Uint8Array, terms: { readonly id: number; readonly timeout: number }, open: Open): Promise<void> {
    try {
      this.#listening ??= this.#session.host.handle(ANSWER_PROTOCOL, (stream, from) => this.#receive(stream, from))
      await this.#listening
      if (!open.isFiltered) await this.#session.host.broadcast(name, payload, terms)
      const ids = open.isFiltered ? [...open.waiting] : []
      for (let at = 0; at < ids.length; at += targetsLimit)
        await this.#session.host.broadcast(name, payload, { ...terms, to: ids.slice(at, at + targetsLimit) })
    } catch (error) {
      open.queue.fail(this.#session.errorOf(error) as Error)
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
      const message = new Uint8Array(bytes)
      let at = 0
      for (const piece of pieces) {
        message.set(piece, at)
        at += piece.byteLength
      }
      this.take(new DataView(message.buffer).getUint32(0), from, message.slice(ID_BYTES))
      await stream.close()
    } finally {
      clearTimeout(timer)
    }
  }

  /** Takes at most one answer of each asked member. Ignores late answers. */
  take(id: number, from: string, payload: Uint8Array): void {
    const open = this.#open.get(id)
    if (open === undefined || open.answered.has(from)) return
    if (open.isFiltered && !open.waiting.has(from)) return
    const member = this.#session.host.members().find((each) => each.id === from)
    if (member === undefined) return
    open.answered.add(from)
    open.queue.push({ from: member, payload })
    this.#heard(open, from)
  }

  /** Stops waiting for a member that answered or is gone. After the last one the query ends. */
  #heard({ waiting, queue }: Open, id: string): void {
    if (waiting.delete(id) && waiting.size === 0) queue.close()
  }
}
