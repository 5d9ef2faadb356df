import type { Libp2p } from '@libp2p/interface'
import { isSignedInPool, signInPool, type PublishOptions } from '@jel/overlay'
import { raceSignal } from 'race-signal'
import { checkBytes, isOwnRecord } from '../base/arguments.ts'
import type { Health } from '../base/member.ts'
import type { LedgerNode } from '@jel/ledger'
import { InvalidOptionError, PoolClosedError } from '../errors.ts'
import { AgreedSize } from '../records/agreed-size.ts'
import { FixedSize } from '../records/fixed-size.ts'
import { Terminations } from '../records/termination.ts'
import type { Termination } from '../base/events.ts'
import type { PoolHost } from '../base/host.ts'
import { AllowList } from './allow-list.ts'
import { Keyring } from './keyring.ts'
import { Session, type Abortable, type PoolEnd } from '../base/session.ts'
import type { PoolParts } from '../base/parts.ts'
import { LedgerCalls } from './ledger.ts'

/**
 * This node in one pool: the members, their roles, and the members that are gone (JEL §3).
 * `joinPool` creates a `Pool`. Its methods return plain data, except for `open`, which returns a
 * stream, and `changes` and `query`, which return iterators. The properties `libp2p`, `keys` and
 * `allowList` are objects with methods.
 */
export class Pool extends LedgerCalls implements AsyncDisposable {
  // The calls about members, elections, messages and streams are in the superclasses.
  readonly #session: Session
  readonly #terminations: Terminations
  readonly #size: FixedSize | AgreedSize
  readonly #keys: Keyring
  readonly #allowList: AllowList

  /** Takes a host that the caller has started. `joinPool` starts one itself. */
  constructor(host: PoolHost, parts: PoolParts, ledger?: LedgerNode) {
    const session = new Session(host, parts, ledger)
    super(session)
    this.#session = session
    this.#keys = new Keyring(session)
    this.#allowList = new AllowList(session)
    this.#terminations = new Terminations(host)
    this.#size = ledger !== undefined && parts.joins === 'reliable' ? new AgreedSize(session, ledger) : new FixedSize(session)
    session.listen(
      {
        record: ({ record }) => {
          if (isOwnRecord(record.name)) this.#review()
        },
        health: ({ health }) => session.emit('health', health),
        // Dispatches measured durations (detection, reconciliation) at once, even while events are
        // paused.
        measured: ({ type, ...detail }) => void this.safeDispatchEvent(type, { detail }),
        warning: ({ code, message }) => session.warn(code, message),
        ordered: ({ index, name, payload, from }) => session.emit('ordered', { index, name, payload, from }),
        ledger: () => ledger !== undefined && session.emit('ledger', ledger.status),
        refused: () => void session.expel(new PoolClosedError(session.pool, this.poolSize ?? 0)),
        gap: ({ lost, limit }) => {
          this.#review()
          if (lost === undefined) session.warn('LEDGER_GAP', 'this member fell behind the ledger, and has lost events')
          else
            session.warn(
              'EVENTS_LOST',
              `${lost} events were lost: more than ${limit} were waiting while the application kept its thread busy`,
            )
        },
      },
      (error) => this.#terminations.close(error),
    )
  }

  /** The name of the pool (JEL §3.1). */
  get name(): string {
    return this.#session.pool
  }

  /**
   * The libp2p host itself, for everything that the pool does not offer. Don't stop it: call
   * `leave()`.
   *
   * @throws Libp2pElsewhereError with `thread: 'worker'`
   */
  get libp2p(): Libp2p {
    return this.#session.host.libp2p
  }

  /** The keys of a private pool. You can change them while the pool runs. */
  get keys(): Keyring {
    return this.#keys
  }

  /** The nodes that may connect to this node. You can change them while the pool runs. */
  get allowList(): AllowList {
    return this.#allowList
  }

  /** Resolves when this node is out of the pool and its host has stopped. Never rejects. */
  get closed(): Promise<PoolEnd> {
    return this.#session.closed
  }

  /**
   * Signs bytes with this node's own key (Ed25519), for programs that run on the pool. The id of a
   * node contains its public key, so others can check the signature even after the node has gone.
   * The JEL paper has no such call.
   *
   * @param message begin it with the program's own name, since other programs on this node sign
   *   with the same key
   * @param options `owner`: signs with the key of this owner instead, see `readOwner`; the key does
   *   not leave this thread
   * @returns 64 bytes
   * @throws InvalidOptionError, PoolLeftError
   */
  async sign(message: Uint8Array, { owner }: Pick<PublishOptions, 'owner'> = {}): Promise<Uint8Array> {
    this.#session.check()
    checkBytes('message', message, 'a Uint8Array')
    if (owner !== undefined) return signInPool(this.name, owner, message)
    return await this.#session.ask(() => this.#session.host.sign(message))
  }

  /**
   * Returns true if the node or owner with this id signed these bytes in this pool with `sign`.
   * Never throws.
   */
  isSignedBy(id: string, message: Uint8Array, signature: Uint8Array): boolean {
    return isSignedInPool(this.name, id, message, signature)
  }

  /**
   * Terminates the pool for all. Present members get the event `terminated`. Later members read the
   * property `terminated`. Members need not leave: each application decides when its node leaves.
   * Any member may terminate the pool, and nobody can take that back. Members remember the
   * termination for 31 days. Corresponds to `Registry.terminate` of the Ibis Portability Layer.
   *
   * @throws RecordsFullError, PoolLeftError
   */
  async terminate(): Promise<void> {
    this.#session.check()
    await this.#session.ask(() => this.#terminations.terminate())
  }

  /**
   * The member that terminated the pool, and the time. Undefined: this node knows of no
   * termination.
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
    this.#session.check(options.signal)
    await raceSignal(this.#terminations.promise, options.signal)
  }

  /**
   * The fixed size of the pool, from the option `poolSize` or another member's announcement.
   * Undefined: no limit.
   */
  get poolSize(): number | undefined {
    return this.#size.size
  }

  /**
   * Waits until the pool is closed: the number of members that joined has reached its size. Members
   * that are gone count as well. With `joins: 'reliable'` the size is strict. Otherwise the two
   * sides of a partition may together let in more. Corresponds to `waitUntilPoolClosed` of the Ibis
   * Portability Layer.
   *
   * @param options.signal gives up waiting
   * @throws InvalidOptionError if the pool has no fixed size
   * @throws PoolLeftError after the end of the pool. Its cause is a PoolClosedError if the pool was
   *   full before this node joined
   */
  async waitForPoolClosed(options: Abortable = {}): Promise<void> {
    this.#session.check(options.signal)
    if (this.poolSize === undefined) throw new InvalidOptionError('poolSize: this pool has no fixed size, so it never closes')
    await raceSignal(this.#size.promise, options.signal)
  }

  /**
   * Returns how well this node is connected: links, last reconciliation, the share of members that
   * it can't reach, why an introducer does not answer, and whether this node is alone or in a
   * minority. The event `health` reports each change of `alone` and `minority`. With
   * `thread: 'worker'`, the other figures, such as the number of links, are up to a second old.
   */
  health(): Health {
    return this.#session.host.health()
  }

  /**
   * Holds events back until `resumeEvents()`, at most 65,536 of them. Only `measured` events are
   * still dispatched at once. `changes()`, `members()` and pending waits go on. Corresponds to
   * `disableEvents` of the Ibis Portability Layer.
   */
  pauseEvents(): void {
    this.#session.events.pause()
  }

  /**
   * Delivers the waiting events, in order. From then on, the pool dispatches events at once again.
   *
   * @throws EventsOverflowError if more events came than may wait; then none of the waiting events
   *   is delivered
   */
  resumeEvents(): void {
    this.#session.events.resume()
  }

  /**
   * Leaves the pool gracefully (JEL §3.1): the others get `left`, then the host stops. Pending
   * `elect` and `electionResult` calls reject with PoolLeftError. Iterations of `changes()` end
   * after the queued changes. A second call waits for the same end.
   *
   * @param options.signal gives up waiting; leaving goes on
   */
  async leave(options: Abortable = {}): Promise<void> {
    const { signal } = options
    signal?.throwIfAborted()
    await raceSignal(this.#session.leave(), signal)
  }

  /** `await using pool = await joinPool(…)` leaves at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
  }

  /** Reacts to changes of the records about the pool itself. */
  #review(): void {
    const termination = this.#terminations.take()
    if (termination !== undefined) this.#session.emit('terminated', termination)
  }
}
