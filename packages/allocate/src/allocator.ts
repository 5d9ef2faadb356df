import type { Member, MemberRef, Pool } from '@jel/jel'
import type { Monitor } from '@jel/monitor'
import { FrameStream, SendQueue } from '@jel/overlay'
import * as v from 'valibot'
import type { Amounts, Milliseconds } from './core/calendar.ts'
import {
  amount,
  fromBytes,
  granterMessage,
  leaseRequest,
  MAX_ANSWER_BYTES,
  name,
  toBytes,
  type GranterMessage,
  type ListedLease,
} from './core/messages.ts'
import { InvalidRequestError, LeaseError } from './errors.ts'
import { Lease, type Connect } from './lease.ts'
import { checkEnough, selectMembers, type Selection, type SelectOptions } from './select.ts'
import { Granter, LEASE_PROTOCOL, type AllowLease } from './shell/granter.ts'

/** A member has this time for the list of its leases, ms. A guess. */
const LIST_TIME = 5000

/** The term and the kind of a lease. */
export interface LeaseOptions {
  /** ms, at most 31 days */
  readonly for: Milliseconds
  /** The lease begins after this time, ms. Default: now. */
  readonly from?: Milliseconds | undefined
  /**
   * Takes a fair share of whatever other leases leave. The share changes: see `Lease.onChange`.
   * Default: no.
   */
  readonly background?: boolean | undefined
  /** A second request with the same key is about the same lease. Default: a new one. */
  readonly key?: string | undefined
}

/** The capacities of a member, and the leases of them. */
export interface Capacities {
  readonly totals: Amounts
  readonly leases: readonly ListedLease[]
}

/**
 * Chooses members by their attributes, and leases capacity of them. `allocator` creates it. The
 * member that owns a capacity grants its leases alone, so they hold also while the pool is cut.
 */
export class Allocator implements AsyncDisposable {
  readonly #pool: Pool
  readonly #monitor: Monitor
  readonly #granter: Granter
  readonly #end = new AbortController()
  readonly #leases = new Set<Lease>()
  #allow: AllowLease = () => true

  private constructor(pool: Pool, monitor: Monitor) {
    this.#pool = pool
    this.#monitor = monitor
    this.#granter = new Granter(pool, (asked) => this.#allow(asked))
  }

  /** @internal */
  static async start(pool: Pool, monitor: Monitor): Promise<Allocator> {
    const started = new Allocator(pool, monitor)
    const { signal } = started.#end
    await started.#granter.start(signal)
    for (const type of ['died', 'left'] as const)
      pool.addEventListener(type, ({ detail }) => started.#gone(detail.id, `its granter ${type}`), { signal })
    void pool.closed.then(() => started.#close())
    return started
  }

  /**
   * Offers a capacity of this member, or changes it. It is for the member to enforce: it knows its
   * leases and their tokens.
   *
   * @throws InvalidRequestError, also if leases take more than the new amount
   */
  offer(capacity: string, total: number): void {
    if (!v.is(name, capacity)) throw new InvalidRequestError(`offer: ${JSON.stringify(capacity)}: must be a word, as in cpus`)
    if (!v.is(amount, total)) throw new InvalidRequestError(`offer: ${capacity}: must be a number, and not below 0`)
    if (!this.#granter.offer(capacity, total)) throw new InvalidRequestError(`offer: ${capacity}: leases take more than ${total}`)
  }

  /** Decides which members may have leases. Default: all. */
  allow(allow: AllowLease): void {
    this.#allow = allow
  }

  /**
   * Leases capacity of a member.
   *
   * @throws InvalidRequestError; LeaseError with the code `CAPACITY` and the time until it would
   *   fit; UnknownMemberError; OpenError if the member can't be reached or grants no leases
   */
  async lease(member: MemberRef, amounts: Amounts, options: LeaseOptions): Promise<Lease> {
    const { from = 0, background = false, key = crypto.randomUUID() } = options
    const { output, issues } = v.safeParse(v.object({ ...leaseRequest.entries }), { amounts, for: options.for, from, background, key })
    if (issues !== undefined) throw new InvalidRequestError(`${v.getDotPath(issues[0]) ?? 'lease'}: ${issues[0].message}`)
    this.#check()
    const id = idOf(member)
    const lease = await Lease.ask(id, output, this.#connectTo(id))
    if (this.#end.signal.aborted) await lease.release()
    this.#check()
    this.#leases.add(lease)
    lease.signal.addEventListener('abort', () => this.#leases.delete(lease), { once: true })
    return lease
  }

  /** The leases that this member holds. */
  get held(): readonly Lease[] {
    return [...this.#leases]
  }

  /** Returns the capacities of a member, and all leases of them. */
  async leasesOf(member: MemberRef): Promise<Capacities> {
    const id = idOf(member)
    const { promise, resolve, reject } = Promise.withResolvers<Capacities>()
    const timer = setTimeout(() => reject(new LeaseError('NO_ANSWER', `${id} did not answer within ${LIST_TIME} ms`)), LIST_TIME)
    try {
      const wire = await this.#connectTo(id)((message) => {
        if (message === undefined) reject(new LeaseError('NO_ANSWER', `${id} ended the stream`))
        else if ('leases' in message) resolve(message)
      })
      wire.send({ list: true })
      return await promise.finally(() => wire.close())
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Returns the members that match a condition, the best first.
   *
   * @throws InvalidRequestError; TooFewMatchError if fewer than `count` match
   */
  async select(options: SelectOptions = {}): Promise<readonly Member[]> {
    const selection = await this.explain(options)
    checkEnough(selection, options.count ?? 0)
    return selection.selected.map(({ member }) => member)
  }

  /**
   * As `select`, with ranks and the number of members that meet each condition, and never too few.
   */
  async explain(options: SelectOptions = {}): Promise<Selection> {
    return await selectMembers(this.#pool.members(), this.#monitor, options)
  }

  /** Releases all leases, and grants no more. */
  async close(): Promise<void> {
    this.#end.abort()
    await Promise.all([...this.#leases].map(async (lease) => await lease.release()))
    this.#close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #check(): void {
    if (this.#end.signal.aborted) throw new InvalidRequestError('lease: this allocator is closed')
  }

  #close(): void {
    this.#end.abort()
    this.#granter.close()
    for (const lease of this.#leases) lease.finish('this member has left the pool')
  }

  #gone(member: string, reason: string): void {
    for (const lease of this.#leases) if (lease.member === member) lease.finish(reason)
  }

  #connectTo(id: string): Connect {
    return async (onMessage) => {
      if (id === this.#pool.self.id) return { send: this.#granter.connect(onMessage), close: () => {} }
      const stream = await this.#pool.open(id, LEASE_PROTOCOL)
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_ANSWER_BYTES, queue: new SendQueue() },
        {
          onFrame: (bytes) => {
            try {
              onMessage(fromBytes(granterMessage, bytes) as GranterMessage)
            } catch (error) {
              frames.abort(error)
            }
          },
          onEnd: () => onMessage(undefined),
        },
      )
      return { send: (message) => frames.send(toBytes(message)), close: () => void frames.close() }
    }
  }
}

function idOf(member: MemberRef): string {
  return typeof member === 'string' ? member : member.id
}

/**
 * Begins to choose members and to lease their capacity, and lets others lease this member's.
 *
 * @throws InvalidProtocolError if this member has an allocator already; PoolLeftError
 */
export async function allocator(pool: Pool, monitor: Monitor): Promise<Allocator> {
  return await Allocator.start(pool, monitor)
}
