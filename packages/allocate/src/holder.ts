import type { Pool } from '@jel/jel'
import { fromJson, toJson } from '@jel/channel'
import { FrameStream, SendQueue } from '@jel/overlay'
import * as v from 'valibot'
import type { Amounts, Milliseconds } from './core/calendar.ts'
import { granterMessage, leaseRequest, MAX_ANSWER_BYTES, type Capacities } from './core/messages.ts'
import { InvalidRequestError, LeaseError } from './errors.ts'
import { Lease, type Connect } from './lease.ts'
import { LEASE_PROTOCOL, type Granter } from './shell/granter.ts'

/** A member must send the list of its leases within this time, ms. A guess. */
const LIST_TIME = 5000

/** The term and the kind of a lease. */
export interface LeaseOptions {
  /** ms, at most 31 days */
  readonly for: Milliseconds
  /** The lease begins after this time, ms. Default: now. */
  readonly from?: Milliseconds | undefined
  /**
   * The lease has a fair share of the capacity that other leases leave, at most the asked amounts.
   * The share changes: see `Lease.onChange`. Default: no.
   */
  readonly background?: boolean | undefined
  /** A second request with the same key is about the same lease. Default: a new key. */
  readonly key?: string | undefined
}

/** The leases that this member has from other members, and from itself. */
export class Holder {
  readonly #pool: Pool
  /** Grants the leases of this member itself. */
  readonly #own: Granter
  readonly #end: AbortSignal
  readonly #leases = new Set<Lease>()

  constructor(pool: Pool, own: Granter, end: AbortSignal) {
    this.#pool = pool
    this.#own = own
    this.#end = end
  }

  get leases(): readonly Lease[] {
    return [...this.#leases]
  }

  /** See `Allocator.lease`. */
  async lease(id: string, amounts: Amounts, options: LeaseOptions): Promise<Lease> {
    const { from = 0, background = false, key = crypto.randomUUID() } = options
    const { output, issues } = v.safeParse(leaseRequest, { amounts, for: options.for, from, background, key })
    if (issues !== undefined) throw new InvalidRequestError(`${v.getDotPath(issues[0]) ?? 'lease'}: ${issues[0].message}`)
    const lease = await Lease.ask(id, output, this.#connectTo(id))
    if (this.#end.aborted) {
      await lease.release()
      throw new InvalidRequestError('this allocator is closed')
    }
    this.#leases.add(lease)
    lease.signal.addEventListener('abort', () => this.#leases.delete(lease), { once: true })
    return lease
  }

  /** See `Allocator.leasesOf`. */
  async leasesOf(id: string): Promise<Capacities> {
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

  /** Gives all leases back. */
  async release(): Promise<void> {
    await Promise.all(this.leases.map(async (lease) => await lease.release()))
  }

  /** The leases of a granter have ended. Default: the leases of all granters. */
  finish(reason: string, member?: string): void {
    for (const lease of this.leases) if (member === undefined || lease.member === member) lease.finish(reason)
  }

  #connectTo(id: string): Connect {
    return async (onMessage) => {
      if (id === this.#pool.self.id) return { send: this.#own.connect(onMessage), close: () => {} }
      const stream = await this.#pool.open(id, LEASE_PROTOCOL)
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_ANSWER_BYTES, queue: new SendQueue() },
        {
          onFrame: (bytes) => {
            try {
              onMessage(fromJson(granterMessage, bytes))
            } catch (error) {
              frames.abort(error)
            }
          },
          onEnd: () => onMessage(undefined),
        },
      )
      return { send: (message) => frames.send(toJson(message)), close: () => void frames.close() }
    }
  }
}
