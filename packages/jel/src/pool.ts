import type { Libp2p, Stream } from '@libp2p/interface'
import {
  ANSWER_PROTOCOL,
  InvalidProtocolError,
  isSignedInPool,
  OverlayClosedError,
  UnknownMemberError,
  type PoolRecord,
  type PublishOptions,
} from '@jel/overlay'
import { defaultConfig, queryTimeoutLimit } from '@jel/protocol'
import { TypedEventEmitter } from 'main-event'
import { raceSignal } from 'race-signal'
import { ChangeQueue, DEFAULT_CHANGES_LIMIT } from './changes.ts'
import { Elections } from './elections.ts'
import {
  ChangesOverflowError,
  ElectionsOffError,
  InvalidConstantError,
  InvalidEventError,
  InvalidOptionError,
  InvalidRecordError,
  JoinsOffError,
  PoolLeftError,
  type PoolClosedError,
} from './errors.ts'
import { EventGate } from './event-gate.ts'
import type { PoolEvents, Termination } from './events.ts'
import { FixedSize } from './fixed-size.ts'
import { HeadCount } from './head-count.ts'
import { byJoin } from './join-order.ts'
import { Keyring } from './keyring.ts'
import { idOf, type Change, type Health, type Link, type Member, type MemberRef, type Reign, type Traffic } from './member.ts'
import { checkElectionName, checkEventName, checkRecordName, checkSignalName, isOwnRecord } from './names.ts'
import { checkCount, checkSpan } from './options.ts'
import type { PoolHost, PoolNews } from './pool-host.ts'
import { Queries, type Answer, type QueryHandler, type QueryOptions } from './queries.ts'
import { checkTag } from './tag.ts'
import { Terminations } from './termination.ts'
import { toBytes } from './text.ts'

/**
 * Takes a stream that a member opened with `open()`. `from` is that member's id. A stream is
 * aborted if its handler throws.
 */
export type StreamHandler = (stream: Stream, from: string) => void | Promise<void>

/** How a pool ended for this node: by `leave()`, or because it could not go on. */
export type PoolEnd = { readonly reason: 'left' } | { readonly reason: 'failed'; readonly error: Error }

/** Every operation that takes time can be given up. It then rejects with `signal.reason`. */
export interface Abortable {
  /** Gives the operation up. */
  signal?: AbortSignal
}

/** The parts of JEL that this pool uses (JEL §3.3: parts that are not used are switched off). */
export interface PoolParts {
  readonly joins: 'unreliable' | 'off'
  readonly elections: 'non-uniform' | 'off'
  /** How many members the pool is for. Default: no limit, or the size that others announced. */
  readonly poolSize?: number | undefined
}

/**
 * This node in one pool: the members, their roles, and the members that are gone (JEL §3).
 * `joinPool` creates it. All that it returns is plain data, except for streams and `libp2p`.
 */
export class Pool extends TypedEventEmitter<PoolEvents> implements AsyncDisposable {
  readonly #overlay: PoolHost
  readonly #parts: PoolParts
  readonly #elections: Elections
  readonly #heads: HeadCount
  readonly #keys: Keyring
  readonly #gate = new EventGate()
  readonly #queries: Queries
  readonly #terminations: Terminations
  readonly #fixedSize: FixedSize
  readonly #queues = new Set<ChangeQueue>()
  /** Per protocol, for handlers that end with a signal: removes the listener from that signal. */
  readonly #handlers = new Map<string, () => void>()
  readonly #unsubscribe: () => void
  readonly #closed: Promise<PoolEnd>
  #leftError: PoolLeftError | undefined
  /** The reason why this node may not stay. */
  #excess: PoolClosedError | undefined
  #leaving: Promise<void> | undefined

  /** For a host that was started by other means. Use `joinPool` otherwise. */
  constructor(overlay: PoolHost, parts: PoolParts) {
    super()
    this.#overlay = overlay
    this.#parts = parts
    this.#elections = new Elections(overlay)
    this.#keys = new Keyring(overlay.keys, async (call) => {
      this.#check()
      return await this.#ask(call)
    })
    this.#heads = new HeadCount(() => overlay.members().length)
    this.#queries = new Queries(overlay, { warn: (code, message) => this.#warn(code, message), named: (error) => this.#named(error) })
    this.#terminations = new Terminations(overlay)
    this.#fixedSize = new FixedSize(overlay, parts.poolSize, {
      closed: (size) => this.#tell('poolClosed', { size }),
      warn: (code, message) => this.#warn(code, message),
      excess: (error) => void this.#expel(error),
    })
    this.#unsubscribe = overlay.subscribe((notification) => this.#notice(notification))
    this.#closed = overlay.closed.then((end) => {
      this.#end(end.reason === 'failed' ? end.error : undefined)
      return this.#excess === undefined ? end : { reason: 'failed', error: this.#excess }
    })
  }

  /** The name of the pool (JEL §3.1). */
  get name(): string {
    return this.#overlay.pool
  }

  /**
   * This node as the others see it. It changes when the node re-enters under a new incarnation (it
   * had been pronounced dead while it was cut off), and with its addresses, tag and constants,
   * within the same incarnation.
   */
  get self(): Member {
    return this.#overlay.self
  }

  /**
   * The libp2p host itself, for everything that the pool does not cover. Don't stop it: `leave()`
   * does.
   *
   * @throws Libp2pElsewhereError with `thread: 'worker'`
   */
  get libp2p(): Libp2p {
    return this.#overlay.libp2p
  }

  /** The keys of a private pool, which can be changed while it runs. */
  get keys(): Keyring {
    return this.#keys
  }

  /** Resolves when this node is out of the pool and its host has stopped. Never rejects. */
  get closed(): Promise<PoolEnd> {
    return this.#closed
  }

  /**
   * Returns the members that this node believes to be in the pool at present, itself included, by
   * id. Works with `joins: 'off'` too: then it is the only source, since no events come.
   *
   * @param options.order `'join'`: as they joined, by `joinedAt` and then by id; all members put
   *   any two in the same order
   * @throws InvalidOptionError
   */
  members({ order = 'id' }: { order?: 'id' | 'join' } = {}): readonly Member[] {
    const members = this.#overlay.members()
    if (order === 'id') return members
    if (order !== 'join') throw new InvalidOptionError("order: must be 'id' or 'join'")
    return [...members].sort(byJoin)
  }

  /**
   * Replaces the tag of this node within its life; the others get `updated`. The tag survives a
   * re-entry under a new incarnation. Resolves when `self` has it.
   *
   * @param tag at most 1,024 bytes; text is sent as UTF-8
   * @throws TagTooLargeError, InvalidOptionError, PoolLeftError
   */
  async setTag(tag: Uint8Array | string): Promise<void> {
    this.#check()
    const bytes = checkTag(tag)
    await this.#ask(() => this.#overlay.setTag(bytes))
  }

  /**
   * Sets one static attribute of this node. Programs that run on the pool use it to say what the
   * node offers. The others read it in `member.constants` and get `updated`. It is known wherever
   * this node is known, survives a re-entry, and ends with the node. Resolves when `self` has it.
   *
   * @param name as that of a signal; begin it with the program's own, as in `jel.compute`
   * @param value undefined removes the attribute of this name; text is sent as UTF-8. All
   *   attributes of a member have at most 512 bytes, names included
   * @throws InvalidConstantError, InvalidOptionError, PoolLeftError
   */
  async setConstant(name: string, value: Uint8Array | string | undefined): Promise<void> {
    this.#check()
    if (typeof name !== 'string') throw new InvalidOptionError('name: must be a string')
    const bytes = typeof value === 'string' ? toBytes(value) : value
    if (bytes !== undefined && !(bytes instanceof Uint8Array)) throw new InvalidOptionError('value: must be a Uint8Array or a string')
    await this.#askRanged(() => this.#overlay.setConstant(name, bytes), InvalidConstantError)
  }

  /**
   * Signs bytes with this node's own key (Ed25519), for programs that run on the pool. The id of a
   * node contains its public key, so others can check the signature even after the node has gone.
   * Not in the paper.
   *
   * @param message begin it with the program's own name: other programs of this node sign as well
   * @returns 64 bytes
   * @throws InvalidOptionError, PoolLeftError
   */
  async sign(message: Uint8Array): Promise<Uint8Array> {
    this.#check()
    if (!(message instanceof Uint8Array)) throw new InvalidOptionError('message: must be a Uint8Array')
    return await this.#ask(() => this.#overlay.sign(message))
  }

  /**
   * Returns true if the node of this id signed these bytes in this pool, by `sign`. Never throws.
   */
  isSignedBy(id: string, message: Uint8Array, signature: Uint8Array): boolean {
    return isSignedInPool(this.name, id, message, signature)
  }

  /**
   * Waits until this node sees at least `count` members, itself included. Works with `joins: 'off'`
   * too.
   *
   * @param options.signal gives up waiting
   * @throws InvalidOptionError, PoolLeftError
   */
  async waitForMembers(count: number, options: Abortable = {}): Promise<void> {
    this.#check(options.signal)
    checkCount('count', count)
    await this.#heads.wait(count, options.signal)
  }

  /**
   * Returns the membership changes from now on (JEL §3.1), preceded by a snapshot: `joined` for
   * this node, then for each other present member. A member whose addresses, tag or constants
   * changed comes as `updated`. No change is missed or repeated. The news is unreliable in the
   * sense of JEL §3.3: best effort, and the order may differ between nodes. After `leave()` the
   * queued changes can still be read, then the iteration ends.
   *
   * The iterator starts to collect at this call. Leave a loop or call `return()` to stop it.
   *
   * @param options.signal ends the iteration: it throws `signal.reason`
   * @param options.limit how many changes may wait to be read, the snapshot not counted; default
   *   65,536
   * @throws JoinsOffError with `joins: 'off'`
   * @throws PoolLeftError after the end of the pool; the iteration throws it if the node could not
   *   go on
   * @throws ChangesOverflowError from the iteration, when more than `limit` changes wait, or, with
   *   `thread: 'worker'`, more than 65,536 events for an application that blocks its thread: never
   *   a silent gap
   */
  changes(options: Abortable & { limit?: number } = {}): AsyncIterableIterator<Change, undefined> {
    const { signal, limit = DEFAULT_CHANGES_LIMIT } = options
    this.#check(signal)
    if (this.#parts.joins === 'off') throw new JoinsOffError()
    checkCount('limit', limit)
    const self = this.self
    const snapshot = [self, ...this.members().filter((member) => member.id !== self.id)]
    const abort = (): void => queue.fail(signal?.reason as Error)
    const queue = new ChangeQueue<Change>(
      snapshot.map((member) => ({ type: 'joined', member })),
      limit,
      () => {
        this.#queues.delete(queue)
        signal?.removeEventListener('abort', abort)
      },
    )
    this.#queues.add(queue)
    signal?.addEventListener('abort', abort)
    return queue
  }

  /**
   * Nominates this node and waits for a result (JEL §3.2), which need not be this node. A known
   * winner that is alive keeps the role. The candidacy lasts until `withdraw()`, leave or death.
   * When a winner goes, the remaining candidates elect the next one unasked, and `elected` events
   * report it. A node that was given `bootstrap` addresses waits until it has reached one of them,
   * unless it joined with `found`. A result is provisional until the pool agrees (JEL §3.3,
   * non-uniform).
   *
   * @param options.signal gives up waiting; if there was no result yet, the candidacy is withdrawn
   * @throws ElectionsOffError, InvalidElectionNameError, PoolLeftError; CandidacyWithdrawnError if
   *   `withdraw()` comes first
   */
  async elect(election: string, options: Abortable = {}): Promise<Reign> {
    this.#checkElection(election, options.signal)
    return await this.#ask(() => this.#elections.elect(election, options.signal))
  }

  /**
   * Waits for the winner of an election without being a candidate (JEL §3.2, `getElectionResult`),
   * for as long as there is none.
   *
   * @param options.signal gives up waiting
   * @throws ElectionsOffError, InvalidElectionNameError, PoolLeftError
   */
  async electionResult(election: string, options: Abortable = {}): Promise<Reign> {
    this.#checkElection(election, options.signal)
    return this.#elections.result(election, options.signal)
  }

  /**
   * Returns the present reigns that this node knows of, by the names of the elections (JEL §3.2).
   */
  reigns(): readonly Reign[] {
    return this.#parts.elections === 'off' ? [] : this.#overlay.reigns()
  }

  /**
   * Ends this node's candidacy. If it had the role, the remaining candidates elect the next one.
   * Not in the paper.
   *
   * @throws ElectionsOffError, InvalidElectionNameError, PoolLeftError
   */
  withdraw(election: string): void {
    this.#checkElection(election)
    try {
      this.#elections.withdraw(election)
    } catch (error) {
      throw this.#named(error)
    }
  }

  /**
   * Reports a suspicion (JEL §3.1): this node probes the member now, and others probe it if it does
   * not answer. This is only a hint and kills nobody. If the member is gone already, a `Member` is
   * ignored.
   *
   * @throws UnknownMemberError for an id that is not in the view; PoolLeftError
   */
  maybeDead(member: MemberRef): void {
    this.#check()
    const id = idOf(member)
    if (!this.#knows(id)) {
      if (typeof member === 'string') throw unknown(id)
      return
    }
    try {
      this.#overlay.maybeDead(id)
    } catch (error) {
      throw this.#named(error)
    }
  }

  /**
   * Sends a named signal to members, who get a `signal` event. Resolves when all have acknowledged
   * it. Not in the paper; `Registry.signal` of the Ibis Portability Layer.
   *
   * @throws UnknownMemberError, InvalidSignalNameError, PoolLeftError; the overlay's error names
   *   the members that did not acknowledge in time
   */
  async signal(name: string, ...members: readonly MemberRef[]): Promise<void>
  async signal(name: string, members: readonly MemberRef[], options?: Abortable): Promise<void>
  async signal(name: string, ...rest: readonly unknown[]): Promise<void> {
    const [first, second] = rest
    const listed = Array.isArray(first)
    const members = (listed ? first : rest) as readonly MemberRef[]
    const { signal } = (listed ? (second ?? {}) : {}) as Abortable
    this.#check(signal)
    checkSignalName(name)
    const ids = [...new Set(members.map(idOf))]
    for (const id of ids) {
      if (!this.#knows(id)) throw unknown(id)
    }
    await this.#ask(() => this.#overlay.signal(name, ids, signal === undefined ? {} : { signal }))
  }

  /**
   * Sends a user event to all members once, this node included: they get an `event`. A member that
   * is cut off for a moment gets it later, within ten minutes. A member that joins later does not
   * get it. Nobody acknowledges it. Not in the paper; Serf's user event.
   *
   * @param name as that of a signal
   * @param payload at most 1,024 bytes; text is sent as UTF-8
   * @throws InvalidEventError, PoolLeftError
   */
  async broadcast(name: string, payload: Uint8Array | string = new Uint8Array()): Promise<void> {
    this.#check()
    checkEventName(name)
    const bytes = checkPayload(payload)
    await this.#askRanged(() => this.#overlay.broadcast(name, bytes), InvalidEventError)
  }

  /**
   * Asks all members, this node included, and iterates over their answers as they arrive, each with
   * its member; at most one per member. Ends when all asked members have answered, or at the
   * timeout. A member without a handler for `name` does not answer. Not in the paper; Serf's query.
   *
   * The question is sent at this call. Leave the loop or call `return()` to stop waiting.
   *
   * @param payload at most 1,024 bytes; text is sent as UTF-8
   * @throws InvalidEventError, InvalidOptionError, PoolLeftError; the iteration throws the reason
   *   of `options.signal`, or PoolLeftError
   */
  query(
    name: string,
    payload: Uint8Array | string = new Uint8Array(),
    options: QueryOptions = {},
  ): AsyncIterableIterator<Answer, undefined> {
    this.#check(options.signal)
    checkEventName(name)
    const bytes = checkPayload(payload)
    if (options.timeout !== undefined) checkSpan('timeout', options.timeout, queryTimeoutLimit)
    return this.#queries.ask(name, bytes, options)
  }

  /**
   * Answers the queries of this name. If the handler throws, or returns more than 1,024 bytes,
   * there is a `warning` and no answer.
   *
   * @param options.signal stops answering
   * @throws InvalidEventError, PoolLeftError; InvalidOptionError if queries of this name are
   *   answered already
   */
  answer(name: string, handler: QueryHandler, options: Abortable = {}): void {
    this.#check(options.signal)
    checkEventName(name)
    if (typeof handler !== 'function') throw new InvalidOptionError('handler: must be a function')
    this.#queries.answer(name, handler, options.signal)
  }

  /**
   * Publishes bytes under a name, for all members, until they expire. They outlive this node:
   * newcomers and the other side of a partition get them, too. Each owner has its own names.
   * Publishing a name again replaces its value. Not in the paper.
   *
   * @param value at most 1 KiB
   * @param options.ttl how long it lives, ms; at most 31 days
   * @param options.owner the owner of the record, see `readOwner`; default: this node, whose key is
   *   a new one at each start without an identity file
   * @throws InvalidRecordError, RecordsFullError, PoolLeftError
   */
  async publish(name: string, value: Uint8Array, options: PublishOptions): Promise<PoolRecord> {
    this.#check()
    checkRecordName(name)
    if (!(value instanceof Uint8Array)) throw new InvalidRecordError('the value of a record must be a Uint8Array')
    if (typeof options?.ttl !== 'number') throw new InvalidRecordError('ttl: must be a number of milliseconds')
    return await this.#askRanged(() => this.#overlay.publish(name, value, options), InvalidRecordError)
  }

  /**
   * Withdraws a record of this node, or of another owner whose key is given. An unknown or expired
   * record is no error.
   *
   * @throws InvalidRecordError, PoolLeftError
   */
  async unpublish(name: string, options: Pick<PublishOptions, 'owner'> = {}): Promise<void> {
    this.#check()
    checkRecordName(name)
    await this.#ask(() => this.#overlay.unpublish(name, options))
  }

  /**
   * Returns the records that this node knows, by name, then by owner. The `record` event reports
   * changes.
   *
   * @param prefix only records whose names begin with it
   */
  records(prefix = ''): readonly PoolRecord[] {
    const records = this.#overlay.records(prefix)
    // The pool's own records are reported otherwise.
    return isOwnRecord(prefix) ? records : records.filter(({ name }) => !isOwnRecord(name))
  }

  /**
   * Terminates the pool for all: members get `terminated`, later members find it in `terminated`.
   * Nobody is made to leave: each application reacts as it sees fit. Any member may do it, and
   * nobody can take it back. It is known for 31 days. `Registry.terminate` of the Ibis Portability
   * Layer.
   *
   * @throws RecordsFullError, PoolLeftError
   */
  async terminate(): Promise<void> {
    this.#check()
    await this.#ask(() => this.#terminations.terminate())
  }

  /**
   * The member that terminated the pool, and the time. Undefined: nobody has, as far as this node
   * knows.
   */
  get terminated(): Termination | undefined {
    return this.#terminations.current
  }

  /**
   * Waits until the pool is terminated.
   *
   * @param options.signal gives up waiting
   * @throws PoolLeftError
   */
  async waitForTermination(options: Abortable = {}): Promise<void> {
    this.#check(options.signal)
    await raceSignal(this.#terminations.promise, options.signal)
  }

  /**
   * How many members the pool is for, from the option of `joinPool` or another member's
   * announcement. Undefined: no limit.
   */
  get poolSize(): number | undefined {
    return this.#fixedSize.size
  }

  /**
   * Waits until the pool is closed: as many members have joined as it is for, those that are gone
   * since included. `waitUntilPoolClosed` of the Ibis Portability Layer. No member can exclude
   * others for sure: the two sides of a partition together may let in more.
   *
   * @param options.signal gives up waiting
   * @throws InvalidOptionError if nobody gave a `poolSize`; PoolLeftError, with a PoolClosedError
   *   as its cause if others came before this node
   */
  async waitForPoolClosed(options: Abortable = {}): Promise<void> {
    this.#check(options.signal)
    if (this.poolSize === undefined) throw new InvalidOptionError('poolSize: this pool is for as many as come, and never closed')
    await raceSignal(this.#fixedSize.promise, options.signal)
  }

  /**
   * Holds all events back until `resumeEvents()`, at most 65,536 of them. `changes()`, `members()`
   * and pending waits go on. `disableEvents` of the Ibis Portability Layer.
   */
  pauseEvents(): void {
    this.#gate.pause()
  }

  /**
   * Delivers the events that waited, in order, then goes on.
   *
   * @throws EventsOverflowError if more came than may wait: none of them is delivered then
   */
  resumeEvents(): void {
    this.#gate.resume()
  }

  /**
   * Leaves the pool gracefully (JEL §3.1): the others get `left`, then the host stops. Pending
   * `elect` and `electionResult` calls reject with PoolLeftError. `changes()` end after the queued
   * changes. A second call waits for the same end.
   *
   * @param options.signal gives up waiting; leaving goes on
   */
  async leave(options: Abortable = {}): Promise<void> {
    const { signal } = options
    signal?.throwIfAborted()
    this.#end()
    this.#leaving ??= this.#overlay.leave()
    await raceSignal(this.#leaving, signal)
  }

  /** `await using pool = await joinPool(…)` leaves at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
  }

  /**
   * Opens a stream to a member, for a protocol of the application's own (JEL §3: the model works
   * together with any communication library). Dials where no connection is up.
   *
   * @param protocol as in `/render/1.0.0`
   * @throws UnknownMemberError, PoolLeftError; libp2p's error when the member can't be reached or
   *   doesn't speak the protocol
   */
  async open(member: MemberRef, protocol: string, options: Abortable = {}): Promise<Stream> {
    this.#check(options.signal)
    checkProtocol(protocol)
    const id = idOf(member)
    if (!this.#knows(id)) throw unknown(id)
    return await this.#ask(() => this.#overlay.open(id, protocol, options))
  }

  /**
   * Takes the streams that others open for `protocol`.
   *
   * @param options.signal stops taking them, as `unhandle()` does; if it aborts before the handler
   *   is in place, the call rejects with its reason
   * @throws PoolLeftError; libp2p's error if the protocol has a handler already
   */
  async handle(protocol: string, handler: StreamHandler, options: Abortable = {}): Promise<void> {
    const { signal } = options
    this.#check(signal)
    checkProtocol(protocol)
    await this.#ask(() => this.#overlay.handle(protocol, handler))
    if (signal === undefined) return
    if (signal.aborted) {
      await this.#ask(() => this.#overlay.unhandle(protocol))
      throw signal.reason
    }
    const stop = (): void => {
      this.#handlers.delete(protocol)
      // An overlay that has ended meanwhile takes no streams anyhow.
      this.#overlay.unhandle(protocol).catch(() => {})
    }
    signal.addEventListener('abort', stop, { once: true })
    this.#handlers.set(protocol, () => signal.removeEventListener('abort', stop))
  }

  /** Takes no more streams for `protocol`. */
  async unhandle(protocol: string): Promise<void> {
    this.#check()
    checkProtocol(protocol)
    // The signal of this handler must not end the next one.
    this.#handlers.get(protocol)?.()
    this.#handlers.delete(protocol)
    await this.#ask(() => this.#overlay.unhandle(protocol))
  }

  /**
   * Returns how well this node is connected: links, last reconciliation, the share of members that
   * it can't reach, and why an introducer does not answer. An application can always tell that it
   * is alone or in a minority; the `health` event says when to look. With `thread: 'worker'`,
   * figures that no event reports, such as the number of links, are up to a second old.
   */
  health(): Health {
    return this.#overlay.health()
  }

  /**
   * Returns the links of this node that are up. Each node has some, and all of them together form
   * the overlay.
   */
  async links(): Promise<readonly Link[]> {
    this.#check()
    return await this.#ask(() => this.#overlay.links())
  }

  /**
   * Asks a member for its links, so that an observer of a pool can see all of its overlay. A node
   * answers at most 20 such requests a second in the long run, and 200 at once, from all askers
   * together.
   *
   * @throws UnknownMemberError, OpenError, PoolLeftError
   */
  async linksOf(member: MemberRef, options: Abortable = {}): Promise<readonly Link[]> {
    this.#check(options.signal)
    const id = idOf(member)
    if (!this.#knows(id)) throw unknown(id)
    return id === this.self.id ? await this.links() : await this.#ask(() => this.#overlay.linksOf(id, options))
  }

  /**
   * Returns the bytes that this node sent and received over TCP since its start, and the number of
   * open connections.
   */
  async traffic(): Promise<Traffic> {
    this.#check()
    return await this.#ask(() => this.#overlay.traffic())
  }

  #notice(notification: PoolNews): void {
    if (this.#leftError !== undefined) return
    switch (notification.type) {
      case 'joined':
      case 'left':
      case 'died':
      case 'updated': {
        this.#heads.review()
        if (notification.type === 'joined') this.#fixedSize.joined(notification.member)
        if (notification.type === 'left' || notification.type === 'died') this.#queries.gone(notification.member.id)
        if (this.#parts.joins === 'off') return
        const { type, member } = notification
        for (const queue of this.#queues) queue.push({ type, member })
        this.#tell(type, member)
        return
      }
      case 'elected':
        if (this.#parts.elections === 'off') return
        this.#elections.elected(notification.reign)
        this.#tell('elected', notification.reign)
        return
      case 'signal':
        this.#tell('signal', { name: notification.name, from: notification.from })
        return
      case 'record':
        if (isOwnRecord(notification.record.name)) this.#review()
        else this.#tell('record', notification.record)
        return
      case 'event':
        this.#tell('event', { name: notification.name, payload: notification.payload, from: notification.from })
        return
      case 'query':
        void this.#queries.asked(notification)
        return
      case 'health':
        this.#tell('health', notification.health)
        return
      case 'measured': {
        const { type, ...detail } = notification
        this.safeDispatchEvent(type, { detail })
        return
      }
      case 'warning':
        this.#warn(notification.code, notification.message)
        return
      case 'gap':
        this.#skip(notification.lost, notification.limit)
        return
      case 'entered':
      case 'signalled':
    }
  }

  /**
   * Reacts to news lost while the application blocked its thread: informs everything that relied on
   * them.
   */
  #skip(lost: number, limit: number): void {
    for (const queue of this.#queues) queue.fail(new ChangesOverflowError(limit))
    this.#elections.settleAll()
    this.#heads.review()
    this.#review()
    const message = `${lost} events were lost: more than ${limit} were waiting while the application kept its thread busy`
    this.#warn('EVENTS_LOST', message)
  }

  /** Reacts to changes of the records about the pool itself. */
  #review(): void {
    const termination = this.#terminations.take()
    if (termination !== undefined) this.#tell('terminated', termination)
    this.#fixedSize.review()
  }

  #tell<Type extends keyof PoolEvents>(type: Type, detail: PoolEvents[Type]['detail']): void {
    this.#gate.pass(() => this.safeDispatchEvent(type, { detail }))
  }

  #warn(code: string, message: string): void {
    this.#tell('warning', { code, message })
  }

  /** Leaves because as many members as the pool is for came before this node. */
  async #expel(error: PoolClosedError): Promise<void> {
    this.#excess = error
    this.#end(error)
    this.#leaving ??= this.#overlay.leave()
    await this.#leaving
  }

  /** No event is delivered after this. */
  #end(failure?: Error): void {
    if (this.#leftError !== undefined) return
    this.#leftError = new PoolLeftError(this.name, failure)
    this.#unsubscribe()
    this.#elections.close(this.#leftError)
    this.#heads.close(this.#leftError)
    this.#queries.close(this.#leftError)
    this.#terminations.close(this.#leftError)
    this.#fixedSize.close(this.#leftError)
    for (const forget of this.#handlers.values()) forget()
    this.#handlers.clear()
    for (const queue of this.#queues) {
      if (failure === undefined) queue.close()
      else queue.fail(this.#leftError)
    }
  }

  #check(signal?: AbortSignal): void {
    if (this.#leftError !== undefined) throw this.#leftError
    signal?.throwIfAborted()
  }

  #checkElection(election: string, signal?: AbortSignal): void {
    this.#check(signal)
    if (this.#parts.elections === 'off') throw new ElectionsOffError()
    checkElectionName(election)
  }

  async #ask<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      throw this.#named(error)
    }
  }

  /** As `#ask`, but turns a RangeError into an error with a code. */
  async #askRanged<Result>(call: () => Promise<Result>, Named: Invalid): Promise<Result> {
    try {
      return await this.#ask(call)
    } catch (error) {
      throw error instanceof RangeError ? new Named(error.message, { cause: error }) : error
    }
  }

  /**
   * Replaces the error of a closed overlay: the overlay ends a moment before this pool gets the
   * reason.
   */
  #named(error: unknown): unknown {
    return error instanceof OverlayClosedError ? (this.#leftError ?? new PoolLeftError(this.name, error)) : error
  }

  #knows(id: string): boolean {
    return this.#overlay.members().some((member) => member.id === id)
  }
}

/** The application's error in place of a RangeError of the overlay. */
type Invalid = typeof InvalidRecordError | typeof InvalidEventError | typeof InvalidConstantError

/** Returns the bytes of a payload. Throws InvalidEventError. */
function checkPayload(payload: unknown): Uint8Array {
  const bytes = typeof payload === 'string' ? toBytes(payload) : payload
  if (!(bytes instanceof Uint8Array)) throw new InvalidEventError('the payload must be a Uint8Array or a string')
  const { payloadBytes } = defaultConfig.limits
  if (bytes.length > payloadBytes) throw new InvalidEventError(`the payload has ${bytes.length} bytes; at most ${payloadBytes} are allowed`)
  return bytes
}

/** Refuses the protocol by which members answer queries. */
function checkProtocol(protocol: string): void {
  if (protocol === ANSWER_PROTOCOL)
    throw new InvalidProtocolError(`protocol ids that start with /jel/ are not the application's: ${protocol}`)
}

function unknown(id: string): UnknownMemberError {
  return new UnknownMemberError(`no member of this pool has the id ${JSON.stringify(id.slice(0, 128))}`)
}
