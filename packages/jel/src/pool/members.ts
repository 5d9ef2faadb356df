import { TypedEventEmitter, type EventHandler } from 'main-event'
import { raceSignal } from 'race-signal'
import { checkBytes, checkCount, checkTag, toBytes } from '../base/arguments.ts'
import { ChangeQueue, DEFAULT_CHANGES_LIMIT } from '../base/change-queue.ts'
import { byJoin, idOf, type Change, type Member, type MemberRef } from '../base/member.ts'
import { ChangesOverflowError, InvalidConstantError, InvalidOptionError, JoinsOffError } from '../errors.ts'
import type { PoolEvents } from '../base/events.ts'
import type { Abortable, Session } from '../base/session.ts'

/**
 * The reserved attribute in which a member states its seat in the ledger. A seat is a store of
 * votes.
 */
const OWN_CONSTANT = 'jel.ledger'

/** A caller that waits until there are `count` members. */
interface Waiter extends PromiseWithResolvers<void> {
  readonly count: number
}

/** The calls of a pool about its members. */
export class MemberCalls extends TypedEventEmitter<PoolEvents> {
  readonly #session: Session
  readonly #queues = new Set<ChangeQueue>()
  readonly #waiters = new Set<Waiter>()
  readonly #end = new AbortController()

  /** @internal */
  constructor(session: Session) {
    super()
    this.#session = session
    session.emitter = this
    session.listen(
      {
        joined: (news) => this.#changed(news),
        left: (news) => this.#changed(news),
        died: (news) => this.#changed(news),
        updated: (news) => this.#changed(news),
        gap: ({ limit }) => {
          for (const queue of this.#queues) queue.fail(new ChangesOverflowError(limit))
          this.#settleWaiters()
        },
      },
      (error, failure) => {
        this.#end.abort()
        for (const { reject } of this.#waiters) reject(error)
        for (const queue of this.#queues) {
          if (failure === undefined) queue.close()
          else queue.fail(error)
        }
      },
    )
  }

  /**
   * Adds a listener for an event.
   *
   * @param options.signal removes the listener; the end of the pool removes it as well
   */
  override addEventListener<Type extends keyof PoolEvents>(
    type: Type,
    listener: EventHandler<PoolEvents[Type]> | null,
    options?: boolean | AddEventListenerOptions,
  ): void {
    if (typeof options !== 'object' || options.signal === undefined) super.addEventListener(type, listener, options)
    // The emitter keeps a listener on the signal, and the signal may outlive the pool. So the end
    // of the pool removes this listener.
    else super.addEventListener(type, listener, { ...options, signal: AbortSignal.any([options.signal, this.#end.signal]) })
  }

  /**
   * This node as the others see it. The value changes when the pool declared this node dead, and
   * the node has re-entered under a new incarnation. Within an incarnation the value changes with
   * the node's addresses, tag and constants.
   */
  get self(): Member {
    return this.#session.view?.self ?? this.#session.host.self
  }

  /**
   * Returns the members that this node believes to be in the pool at present, itself included,
   * sorted by id. With `joins: 'off'` this is the only source, since there are no events.
   *
   * With the order `'join'` they are sorted by `joinedAt`, then by id. All members put any two
   * members in the same order.
   *
   * With `joins: 'reliable'` these are the members of the ledger, and `'join'` is the order in
   * which they joined it.
   *
   * @param options.agreed false: the members that this node sees, as with `'unreliable'`
   * @throws InvalidOptionError
   */
  members({ order = 'id', agreed = true }: { order?: 'id' | 'join'; agreed?: boolean } = {}): readonly Member[] {
    if (order !== 'id' && order !== 'join') throw new InvalidOptionError("order: must be 'id' or 'join'")
    const { view, parts, host } = this.#session
    if (agreed && view !== undefined && parts.joins === 'reliable') {
      const members = view.members()
      return order === 'join' ? members : [...members].sort((one, other) => (one.id < other.id ? -1 : 1))
    }
    const members = host.members()
    return order === 'id' ? members : [...members].sort(byJoin)
  }

  /**
   * Replaces the tag of this node. The node keeps its incarnation, and the others get `updated`.
   * The tag survives a re-entry under a new incarnation. Resolves when `self` has the new tag.
   *
   * @param tag at most 1,024 bytes; text is sent as UTF-8
   * @throws TagTooLargeError, InvalidOptionError, PoolLeftError
   */
  async setTag(tag: Uint8Array | string): Promise<void> {
    this.#session.check()
    const bytes = checkTag(tag)
    await this.#session.ask(() => this.#session.host.setTag(bytes))
  }

  /**
   * Sets one attribute of this node. Programs on top of the pool use attributes to tell others what
   * this node offers. The others read the attribute in `member.constants` and get `updated`. All
   * members that know this node know the attribute. It survives a re-entry, and ends with the node.
   * Resolves when `self` has it.
   *
   * @param name follows the rules for names of signals; begin it with the program's own name, as in
   *   `jel.compute`
   * @param value undefined removes the attribute of this name; text is sent as UTF-8. All
   *   attributes of a member have at most 512 bytes, names included
   * @throws InvalidConstantError, InvalidOptionError, PoolLeftError
   */
  async setConstant(name: string, value: Uint8Array | string | undefined): Promise<void> {
    this.#session.check()
    if (typeof name !== 'string') throw new InvalidOptionError('name: must be a string')
    if (name === OWN_CONSTANT) throw new InvalidConstantError(`${OWN_CONSTANT}: this attribute is the pool's own`)
    const bytes = value === undefined ? undefined : checkBytes('value', toBytes(value), 'a Uint8Array or a string')
    try {
      await this.#session.ask(() => this.#session.host.setConstant(name, bytes))
    } catch (error) {
      // Only the host always knows all constants, so the host checks their size.
      throw error instanceof RangeError ? new InvalidConstantError(error.message, { cause: error }) : error
    }
  }

  /**
   * Waits until this node sees at least `count` members, itself included. Works with `joins: 'off'`
   * too.
   *
   * @param options.signal gives up waiting
   * @throws InvalidOptionError, PoolLeftError
   */
  async waitForMembers(count: number, options: Abortable = {}): Promise<void> {
    this.#session.check(options.signal)
    checkCount('count', count)
    if (this.members().length >= count) return
    const waiter = { count, ...Promise.withResolvers<void>() }
    this.#waiters.add(waiter)
    try {
      await raceSignal(waiter.promise, options.signal)
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  /**
   * Returns the membership changes from now on (JEL §3.1), preceded by a snapshot: `joined` for
   * this node, then for each other present member. `updated` reports that the addresses, tag or
   * constants of a member changed. The iterator misses and repeats no change. The changes are
   * unreliable in the sense of JEL §3.3: best effort, and the order may differ between nodes. With
   * `joins: 'reliable'` all changes but `updated` come at all nodes in one order. After `leave()`
   * the iterator still returns the queued changes, then it ends.
   *
   * The iterator starts to collect at this call. Leave a loop or call `return()` to stop it.
   *
   * @param options.signal ends the iteration: it throws `signal.reason`
   * @param options.limit how many changes may wait for the reader, in addition to the snapshot;
   *   default 65,536
   * @throws JoinsOffError with `joins: 'off'`
   * @throws PoolLeftError from the call, after the end of the pool; from the iteration, if the node
   *   could not go on
   * @throws ChangesOverflowError from the iteration, when more than `limit` changes wait. With
   *   `thread: 'worker'` also when more than 65,536 events wait for an application that blocks its
   *   thread. There is never a silent gap
   */
  changes(options: Abortable & { limit?: number } = {}): AsyncIterableIterator<Change, undefined> {
    const { signal, limit = DEFAULT_CHANGES_LIMIT } = options
    this.#session.check(signal)
    if (this.#session.parts.joins === 'off') throw new JoinsOffError()
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
   * Reports a suspicion (JEL §3.1). This node probes the member now. Others probe it if it does not
   * answer. This is only a hint and kills nobody. The call ignores a `Member` object whose id is no
   * longer in the view.
   *
   * @throws UnknownMemberError for an id alone that is not in the view; PoolLeftError
   */
  maybeDead(member: MemberRef): void {
    this.#session.check()
    if (typeof member !== 'string' && !this.#session.knows(idOf(member))) return
    const id = this.#session.knownId(member)
    this.#session.order(() => this.#session.host.maybeDead(id))
  }

  #changed({ type, member }: Change): void {
    this.#settleWaiters()
    if (this.#session.parts.joins === 'off') return
    for (const queue of this.#queues) queue.push({ type, member })
    this.#session.emit(type, member)
  }

  #settleWaiters(): void {
    if (this.#waiters.size === 0) return
    const size = this.members().length
    for (const { count, resolve } of this.#waiters) if (size >= count) resolve()
  }
}
