import type { PoolRecord, PublishOptions } from '@jel/overlay'
import { queryTimeoutLimit } from '@jel/protocol'
import {
  checkEventName,
  checkHandler,
  checkPayload,
  checkRecord,
  checkRecordName,
  checkSignalName,
  checkSpan,
  isOwnRecord,
} from '../base/arguments.ts'
import type { MemberRef } from '../base/member.ts'
import { Answers, type QueryHandler } from '../queries/answers.ts'
import { PendingQueries, type Query, type QueryOptions } from '../queries/pending-queries.ts'
import { ElectionCalls } from './elections.ts'
import type { Abortable, Session } from '../base/session.ts'

/** The calls of a pool about its messages: signals, user events, queries and records. */
export class MessageCalls extends ElectionCalls {
  readonly #session: Session
  readonly #questions: PendingQueries
  readonly #answers: Answers

  /** @internal */
  constructor(session: Session) {
    super(session)
    this.#session = session
    this.#questions = new PendingQueries(session)
    this.#answers = new Answers(session, this.#questions)
    session.listen(
      {
        signal: ({ name, from }) => session.emit('signal', { name, from }),
        event: ({ name, payload, from }) => session.emit('event', { name, payload, from }),
        record: ({ record }) => {
          if (!isOwnRecord(record.name)) session.emit('record', record)
        },
        query: (query) => void this.#answers.answer(query),
        left: ({ member }) => this.#gone(member.id),
        died: ({ member }) => this.#gone(member.id),
      },
      (error) => {
        this.#questions.close(error)
        this.#answers.close(error)
      },
    )
  }

  /**
   * Sends a named signal to members. They get a `signal` event. Resolves when all have acknowledged
   * it. Not in the paper; `Registry.signal` of the Ibis Portability Layer.
   *
   * @throws UnknownMemberError, InvalidSignalNameError, PoolLeftError; SignalError names the
   *   members that did not acknowledge in time
   */
  async signal(name: string, ...members: readonly MemberRef[]): Promise<void>
  async signal(name: string, members: readonly MemberRef[], options?: Abortable): Promise<void>
  async signal(name: string, ...rest: readonly unknown[]): Promise<void> {
    const [first, second] = rest
    const listed = Array.isArray(first)
    const members = (listed ? first : rest) as readonly MemberRef[]
    const { signal } = (listed ? (second ?? {}) : {}) as Abortable
    this.#session.check(signal)
    checkSignalName(name)
    const ids = [...new Set(members.map((member) => this.#session.knownId(member)))]
    await this.#session.ask(() => this.#session.host.signal(name, ids, signal === undefined ? {} : { signal }))
  }

  /**
   * Sends a user event to all members once, this node included. They get an `event`. A member that
   * is cut off for a moment gets it later, within ten minutes. A member that joins later does not
   * get it. Nobody acknowledges it. Not in the paper; Serf's user event.
   *
   * @param name follows the rules for names of signals
   * @param payload at most 1,024 bytes; text is sent as UTF-8
   * @throws InvalidEventError, PoolLeftError
   */
  async broadcast(name: string, payload: Uint8Array | string = new Uint8Array()): Promise<void> {
    this.#session.check()
    checkEventName(name)
    const bytes = checkPayload(payload)
    await this.#session.ask(() => this.#session.host.broadcast(name, bytes))
  }

  /**
   * Asks all members, this node included. Iterates over their answers as they arrive, each with its
   * member, and at most one per member. Ends when all asked members have answered, or at the
   * timeout. A member without a handler for `name` does not answer. Not in the paper; Serf's query.
   *
   * This call sends the question. Leave the loop or call `return()` to stop waiting.
   *
   * @param payload at most 1,024 bytes; text is sent as UTF-8
   * @throws InvalidEventError, InvalidOptionError, PoolLeftError; the iteration throws the reason
   *   of `options.signal`, or PoolLeftError
   */
  query(name: string, payload: Uint8Array | string = new Uint8Array(), options: QueryOptions = {}): Query {
    this.#session.check(options.signal)
    checkEventName(name)
    const bytes = checkPayload(payload)
    if (options.timeout !== undefined) checkSpan('timeout', options.timeout, queryTimeoutLimit)
    return this.#questions.ask(name, bytes, options)
  }

  /**
   * Answers the queries of this name. If the handler throws, or returns more than 1,024 bytes,
   * there is a `warning` and no answer.
   *
   * @param options.signal stops answering
   * @throws InvalidEventError, PoolLeftError; InvalidOptionError if this name has a handler already
   */
  answer(name: string, handler: QueryHandler, options: Abortable = {}): void {
    this.#session.check(options.signal)
    checkEventName(name)
    checkHandler(handler)
    this.#answers.add(name, handler, options.signal)
  }

  /**
   * Publishes bytes under a name, for all members, until the record expires. The record outlives
   * this node. Newcomers and the other side of a partition get it, too. Each owner has its own
   * names. Publishing a name again replaces its value. Not in the paper.
   *
   * @param value at most 1 KiB; text is sent as UTF-8
   * @param options.ttl how long the record lives, ms; at most 31 days
   * @param options.owner the owner of the record, see `readOwner`; default: this node. Without an
   *   identity file this node has a new key at each start
   * @throws InvalidRecordError, RecordsFullError, PoolLeftError
   */
  async publish(name: string, value: Uint8Array | string, options: PublishOptions): Promise<PoolRecord> {
    this.#session.check()
    const bytes = checkRecord(name, value, options?.ttl)
    return await this.#session.ask(() => this.#session.host.publish(name, bytes, options))
  }

  /**
   * Withdraws a record of this node, or of the owner in the options. It is no error if the record
   * is unknown or expired.
   *
   * @throws InvalidRecordError, PoolLeftError
   */
  async unpublish(name: string, options: Pick<PublishOptions, 'owner'> = {}): Promise<void> {
    this.#session.check()
    checkRecordName(name)
    await this.#session.ask(() => this.#session.host.unpublish(name, options))
  }

  /**
   * Returns the records that this node knows, sorted by name, then by owner. The `record` event
   * reports changes.
   *
   * @param prefix only records whose names begin with it
   */
  records(prefix = ''): readonly PoolRecord[] {
    const records = this.#session.host.records(prefix)
    // Other calls and events report the pool's own records.
    return isOwnRecord(prefix) ? records : records.filter(({ name }) => !isOwnRecord(name))
  }

  #gone(id: string): void {
    this.#questions.gone(id)
    this.#answers.gone(id)
  }
}
