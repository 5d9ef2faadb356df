import type { Pool, Stream } from '@jel/jel'
import { Driver } from '@jel/machine'
import { fromJson, PeerLimits, toJson } from '@jel/channel'
import { FrameStream, SendQueue } from '@jel/overlay'
import type { Amounts } from '../core/calendar.ts'
import type { Token } from '../core/fence.ts'
import type { GroupRequest, LeaseEffect, LeaseInput, OfGroup } from '../core/lease-input.ts'
import { Leases } from '../core/leases.ts'
import { holderMessage, MAX_ASK_BYTES, type GranterMessage, type HolderMessage, type ListedLease } from '../core/messages.ts'
import type { ListedRank, ListedStart } from '../core/listed-groups.ts'
import { LeaseError } from '../errors.ts'
import { usableOf } from '../limit/bucket.ts'
import { Limit } from '../limit/limit.ts'
import { isOfToken, mayHaveToken, PROBE, TOKEN_TIME } from '../pairs/probe-token.ts'
import { TokenTurns } from '../pairs/token-turns.ts'
import type { Lease } from '../core/shares.ts'

export const LEASE_PROTOCOL = '/jel-lease/1.0.0'
/** Maximum number of streams of one member: one for each lease, and some for lists. */
const MAX_STREAMS = 72
/** This member waits at least this long between two messages of one member, ms. A guess. */
const PAUSE = 2

/** Whether a member may have a lease. */
export type AllowLease = (asked: { readonly member: string; readonly amounts: Amounts }) => boolean

/** The groups of this member in a list. */
export interface GroupList {
  readonly ranks: readonly ListedRank[]
  readonly starts: readonly ListedStart[]
}

/** The way to the holder of a lease: a stream, or a call in this process. */
interface Outlet {
  readonly member: string
  send(message: GranterMessage): void
  /** The number of the lease to which this outlet belongs. */
  number?: number
}

/** Grants leases of this member's capacities: the shell of `Leases`. */
export class Granter {
  readonly #pool: Pool
  readonly #allow: AllowLease
  readonly #onGroup: (effect: OfGroup) => void
  readonly #groups: () => GroupList
  readonly #leases = new Leases()
  readonly #driver: Driver<LeaseInput, LeaseEffect>
  /** The outlet of each request that has no answer yet. */
  readonly #asking = new Map<number, Outlet>()
  readonly #outlets = new Map<number, Outlet>()
  /** The limits that this member enforces, by the number of the lease and the capacity. */
  readonly #enforced = new Map<number, Map<string, Limit>>()
  readonly #turns = new TokenTurns()
  readonly #limits = new PeerLimits({ ofOne: MAX_STREAMS, pause: PAUSE })
  #request = 0

  constructor(pool: Pool, allow: AllowLease, onGroup: (effect: OfGroup) => void, groups: () => GroupList) {
    this.#pool = pool
    this.#allow = allow
    this.#onGroup = onGroup
    this.#groups = groups
    this.#driver = new Driver<LeaseInput, LeaseEffect>(
      this.#leases,
      {
        granted: ({ request, lease }) => {
          const outlet = this.#answered(request)
          if (outlet === undefined) return
          // The answer to a release is about a lease that has ended.
          if (this.#leases.get(lease.number) !== undefined) {
            if (Object.hasOwn(lease.amounts, PROBE)) this.#turns.took(outlet.member)
            outlet.number = lease.number
            this.#outlets.set(lease.number, outlet)
          }
          outlet.send({ granted: lease, incarnation: pool.self.incarnation })
        },
        refused: ({ request, refusal }) => this.#answered(request)?.send({ refused: refusal }),
        changed: ({ number, amounts }) => this.#outlets.get(number)?.send({ changed: amounts }),
        ended: (effect) => {
          const { number, reason, group } = effect
          this.#outlets.get(number)?.send({ ended: reason })
          this.#outlets.delete(number)
          this.#enforced.delete(number)
          if (group !== undefined) this.#onGroup(effect)
        },
        held: (effect) => this.#onGroup(effect),
        waits: (effect) => this.#onGroup(effect),
        noHold: (effect) => this.#onGroup(effect),
        locked: (effect) => this.#onGroup(effect),
        started: (effect) => this.#onGroup(effect),
      },
      performance,
    )
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const type of ['died', 'left'] as const)
      this.#pool.addEventListener(type, ({ detail }) => this.#driver.deliver({ type: 'gone', holder: detail.id }), { signal })
    await this.#pool.handle(LEASE_PROTOCOL, (stream, from) => this.#serve(stream, from), { signal })
  }

  /** Sets a capacity. Returns false if leases exceed the amount. */
  offer(name: string, total: number): boolean {
    if (!this.#leases.mayOffer(name, total, performance.now())) return false
    this.#driver.deliver({ type: 'offer', name, total })
    return true
  }

  /** Handles a request of a group about its hold. */
  deliver(input: GroupRequest): void {
    this.#driver.deliver(input.type === 'hold' ? { ...input, wall: Date.now() } : input)
  }

  /** The number of leases whose holders are connected, and are told of changes. */
  get connections(): number {
    return this.#outlets.size
  }

  get totals(): Amounts {
    return Object.fromEntries(this.#leases.totals)
  }

  /** Returns the amount of a capacity that leases may use now. */
  inUse(capacity: string): number {
    const now = performance.now()
    return this.#leases.list().reduce((sum, lease) => sum + usableOf(lease, capacity, now), 0)
  }

  /** The holds of groups, and the groups and leases for whose capacity they wait. */
  holds(): ReturnType<Leases['holds']> {
    return this.#leases.holds(performance.now())
  }

  list(): ListedLease[] {
    const now = performance.now()
    return this.#leases.list().map(({ number, holder, background, group, reservation: { start, end }, amounts }) => ({
      number,
      holder,
      background,
      startsIn: Math.max(0, start - now),
      endsIn: Math.max(0, end - now),
      amounts,
      ...(group !== undefined && { group }),
    }))
  }

  /**
   * @throws LeaseError if the holder has no such lease, or the lease has nothing of this capacity
   */
  limit(capacity: string, holder: string, token: Token): Limit {
    const { id, incarnation } = this.#pool.self
    const isOwn = token.member === id && token.incarnation === incarnation
    const lease = isOwn ? this.#living(token.number) : undefined
    if (lease?.holder !== holder) throw new LeaseError('NO_LEASE', `${holder} has no lease with this token here`)
    if (!Object.hasOwn(lease.reservation.amounts, capacity)) throw new LeaseError('NO_LEASE', `this lease has nothing of ${capacity}`)
    const limits = this.#enforced.get(token.number) ?? new Map<string, Limit>()
    this.#enforced.set(token.number, limits)
    const limit =
      limits.get(capacity) ??
      new Limit(() => {
        const living = this.#living(token.number)
        return living === undefined ? undefined : usableOf(living, capacity, performance.now())
      })
    limits.set(capacity, limit)
    return limit
  }

  /** Connects a holder in this process. Returns the function that takes its messages. */
  connect(send: (message: GranterMessage) => void): (message: HolderMessage) => void {
    const outlet: Outlet = { member: this.#pool.self.id, send }
    return (message) => this.#take(outlet, message)
  }

  close(): void {
    this.#driver.stop()
  }

  #living(number: number): Lease | undefined {
    const lease = this.#leases.get(number)
    return lease !== undefined && lease.reservation.end > performance.now() ? lease : undefined
  }

  #serve(stream: Stream, from: string): void {
    const admission = this.#limits.admit(from)
    if (admission === undefined) {
      stream.abort(new Error(`${from} has too many streams of leases`))
      return
    }
    const queue = new SendQueue()
    const outlet: Outlet = { member: from, send: (message) => frames.send(toJson(message)) }
    const frames: FrameStream = new FrameStream(
      stream,
      {
        maxFrameBytes: MAX_ASK_BYTES,
        queue,
        stage: admission.stage,
      },
      {
        onFrame: (bytes) => {
          try {
            this.#take(outlet, fromJson(holderMessage, bytes))
          } catch (error) {
            frames.abort(error)
          }
        },
        onEnd: () => {
          admission.end()
          // A stream is for one lease, but a wrong holder may have asked for several.
          for (const [number, each] of this.#outlets) if (each === outlet) this.#outlets.delete(number)
          void frames.close()
        },
      },
    )
  }

  #take(outlet: Outlet, message: HolderMessage): void {
    const { member: holder, number = 0 } = outlet
    if ('list' in message) {
      outlet.send({ leases: this.list(), totals: this.totals, ...this.#groups() })
      return
    }
    if ('ask' in message && !this.#allow({ member: holder, amounts: message.ask.amounts })) {
      outlet.send({ refused: { code: 'DENIED', message: 'this member grants you no leases' } })
      return
    }
    const held = this.#leases.get(number)
    if (isOfToken(message, held?.reservation.amounts)) {
      if (!mayHaveToken(message)) {
        const why = `a lease of the probe token must have the amount 1 and no other capacity, begin now, end within ${TOKEN_TIME} ms, and is never renewed`
        outlet.send({ refused: { code: 'DENIED', message: why } })
        return
      }
      this.offer(PROBE, 1)
      const hasToken = this.#leases.list().some((lease) => lease.holder === holder && Object.hasOwn(lease.reservation.amounts, PROBE))
      if (!hasToken && !this.#turns.asks(holder, performance.now())) {
        outlet.send({ refused: { code: 'CAPACITY', message: 'other members wait for the probe token, and had it less recently' } })
        return
      }
    }
    const request = this.#request++
    this.#asking.set(request, outlet)
    if ('ask' in message) this.#driver.deliver({ type: 'ask', request, holder, asked: message.ask })
    else if ('renew' in message) this.#driver.deliver({ type: 'renew', request, holder, number, for: message.renew })
    else if ('change' in message) this.#driver.deliver({ type: 'change', request, holder, number, amounts: message.change })
    else this.#driver.deliver({ type: 'release', request, holder, number })
  }

  #answered(request: number): Outlet | undefined {
    const outlet = this.#asking.get(request)
    this.#asking.delete(request)
    return outlet
  }
}
