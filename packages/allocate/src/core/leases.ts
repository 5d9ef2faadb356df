import { Timers, type Machine, type TimerEffect, type TimerInput } from '@jel/machine'
import { Calendar, type Amounts, type Milliseconds, type Reservation } from './calendar.ts'
import { maxMin } from './max-min.ts'

/** Maximum number of leases of a member, and of one holder. From GRID. */
const [MAX_LEASES, MAX_OF_ONE] = [1024, 64]
/** The latest end of a lease, from now on, ms: 31 days. From GRID. */
export const LONGEST: Milliseconds = 31 * 86_400_000
/**
 * A background holder hears of a smaller share this long before a foreground lease takes the rest,
 * ms. A guess: a message arrives, and a program can react.
 */
export const GRACE: Milliseconds = 500

/** A wish for capacity. All times are spans: calendars of members may differ. */
export interface LeaseRequest {
  readonly amounts: Amounts
  /** ms */
  readonly for: Milliseconds
  /** The lease begins after this time, ms. */
  readonly from: Milliseconds
  /** Takes a fair share of whatever foreground leases leave, and is never refused for capacity. */
  readonly background: boolean
  /** A repeated request with this key is about the same lease. */
  readonly key: string
  /** Asks for a lease that this holder has, and for no new one. */
  readonly again?: boolean | undefined
}

/** A lease as its holder sees it. The times are spans from now. */
export interface Granted {
  /** Grows with each lease of this life of the granter. */
  readonly number: number
  readonly startsIn: Milliseconds
  readonly endsIn: Milliseconds
  /** The present amounts: those asked for, or the share of a background lease. */
  readonly amounts: Amounts
}

/** Why there is no lease. */
export interface Refusal {
  readonly code: 'CAPACITY' | 'NO_CAPACITY' | 'TOO_MANY' | 'NO_LEASE' | 'DENIED'
  readonly message: string
  /** Time until the request would fit, ms. */
  readonly earliest?: Milliseconds | undefined
}

export type LeaseInput =
  | { readonly type: 'ask'; readonly request: number; readonly holder: string; readonly asked: LeaseRequest }
  | { readonly type: 'renew'; readonly request: number; readonly holder: string; readonly number: number; readonly for: Milliseconds }
  | { readonly type: 'change'; readonly request: number; readonly holder: string; readonly number: number; readonly amounts: Amounts }
  | { readonly type: 'release'; readonly request: number; readonly holder: string; readonly number: number }
  /** Sets a capacity of this member: see `mayOffer`. */
  | { readonly type: 'offer'; readonly name: string; readonly total: number }
  /** The holder died or left. */
  | { readonly type: 'gone'; readonly holder: string }

export type LeaseEffect =
  | { readonly type: 'granted'; readonly request: number; readonly lease: Granted }
  | { readonly type: 'refused'; readonly request: number; readonly refusal: Refusal }
  | { readonly type: 'changed'; readonly holder: string; readonly number: number; readonly amounts: Amounts }
  | { readonly type: 'ended'; readonly holder: string; readonly number: number; readonly reason: 'term' | 'released' | 'gone' }

/** A granted lease. */
export interface Lease {
  readonly number: number
  readonly holder: string
  readonly key: string
  readonly background: boolean
  reservation: Reservation
  /** After a change that others must make room for: the reservation until then. */
  former?: Reservation
  /** The last announced amounts. */
  amounts: Amounts
  /**
   * For each capacity the amount that a background holder had, and the time until which it may
   * still use it.
   */
  readonly yielded: Map<string, { readonly amount: number; readonly until: Milliseconds }>
}

/**
 * The leases of a member's own capacities (GARA). The member alone grants them, from its memory, so
 * they hold on each side of a cut. They end with the member's life.
 */
export class Leases implements Machine<LeaseInput, LeaseEffect> {
  readonly #calendar = new Calendar()
  readonly #leases = new Map<number, Lease>()
  readonly #timers = new Timers(['next'])
  #number = 0
  #now: Milliseconds = 0
  #effects: (LeaseEffect | TimerEffect)[] = []

  /** All leases, the oldest first. */
  list(): readonly Lease[] {
    return [...this.#leases.values()]
  }

  get totals(): ReadonlyMap<string, number> {
    return this.#calendar.totals
  }

  /** Whether leases leave room for a capacity to be only this large. */
  mayOffer(name: string, total: number, now: Milliseconds): boolean {
    return this.#calendar.peak(name, now, Infinity) <= total
  }

  handle(input: LeaseInput | TimerInput, now: Milliseconds): readonly (LeaseEffect | TimerEffect)[] {
    this.#now = now
    this.#effects = []
    this.#expire()
    if (input.type === 'gone') {
      for (const lease of this.#leases.values()) if (lease.holder === input.holder) this.#end(lease, 'gone')
    } else if (input.type === 'offer') this.#calendar.offer(input.name, input.total, this.#now)
    else if (input.type !== 'timer') {
      const answer = this.#answer(input)
      if ('code' in answer) this.#effects.push({ type: 'refused', request: input.request, refusal: answer })
      else this.#effects.push({ type: 'granted', request: input.request, lease: this.#granted(answer) })
    }
    this.#share()
    this.#schedule()
    return this.#effects
  }

  #answer(input: Exclude<LeaseInput, { type: 'gone' | 'offer' }>): Lease | Refusal {
    if (input.type === 'ask') return this.#ask(input.holder, input.asked)
    const lease = this.#leases.get(input.number)
    if (lease?.holder !== input.holder) return { code: 'NO_LEASE', message: `there is no lease ${input.number} of this member` }
    const { start, end, amounts } = lease.reservation
    switch (input.type) {
      case 'release':
        this.#end(lease, 'released')
        return lease
      case 'renew':
        return this.#move(lease, { start, end: Math.max(end, Math.max(start, this.#now) + input.for), amounts })
      case 'change':
        return this.#unknown(input.amounts) ?? this.#change(lease, input.amounts)
    }
  }

  #ask(holder: string, asked: LeaseRequest): Lease | Refusal {
    const held = [...this.#leases.values()].filter((each) => each.holder === holder)
    const known = held.find(({ key }) => key === asked.key)
    if (known !== undefined) return known
    if (asked.again === true) return { code: 'NO_LEASE', message: 'the lease has ended' }
    if (this.#leases.size >= MAX_LEASES || held.length >= MAX_OF_ONE)
      return {
        code: 'TOO_MANY',
        message: `there are ${this.#leases.size} leases here, ${held.length} of them yours; at most ${MAX_LEASES} and ${MAX_OF_ONE}`,
      }
    const unknown = this.#unknown(asked.amounts)
    if (unknown !== undefined) return unknown
    const start = this.#now + (asked.background ? asked.from : Math.max(asked.from, this.#notice(asked.amounts)))
    const reservation: Reservation = { start, end: start + asked.for, amounts: asked.amounts }
    const refusal = asked.background ? undefined : this.#refusal(reservation)
    if (refusal !== undefined) return refusal
    const lease: Lease = {
      number: ++this.#number,
      holder,
      key: asked.key,
      background: asked.background,
      reservation,
      amounts: asked.background ? {} : asked.amounts,
      yielded: new Map(),
    }
    this.#leases.set(lease.number, lease)
    if (!lease.background) this.#calendar.add(reservation)
    return lease
  }

  /** Background holders get time to make room. Until then the former amounts stay. */
  #change(lease: Lease, amounts: Amounts): Lease | Refusal {
    const { start, end, amounts: former } = lease.reservation
    const pending = (lease.former?.end ?? 0) - this.#now
    if (pending > 0) return { code: 'CAPACITY', message: 'an earlier change has not taken effect yet', earliest: pending }
    const more = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Math.max(0, amount - (former[name] ?? 0))]))
    const from = Math.max(start, this.#now + (lease.background ? 0 : this.#notice(more)))
    if (from >= end) return { code: 'CAPACITY', message: 'the lease ends before there is room' }
    const moved = this.#move(lease, { start: from, end, amounts })
    if (!('code' in moved) && from > Math.max(start, this.#now)) {
      if (lease.former !== undefined) this.#calendar.remove(lease.former)
      lease.former = { start, end: from, amounts: former }
      this.#calendar.add(lease.former)
    }
    return moved
  }

  /** Gives a lease another time or other amounts, if they fit. */
  #move(lease: Lease, reservation: Reservation): Lease | Refusal {
    if (reservation.end > this.#now + LONGEST) return { code: 'CAPACITY', message: 'a lease ends within 31 days' }
    if (!lease.background) {
      const refusal = this.#refusal(reservation, lease.reservation)
      if (refusal !== undefined) return refusal
      this.#calendar.remove(lease.reservation)
      this.#calendar.add(reservation)
      lease.amounts = reservation.amounts
    }
    lease.reservation = reservation
    return lease
  }

  #unknown(amounts: Amounts): Refusal | undefined {
    const name = Object.keys(amounts).find((each) => !this.#calendar.totals.has(each))
    if (name === undefined) return undefined
    const offered = [...this.#calendar.totals.keys()].join(', ')
    return { code: 'NO_CAPACITY', message: `${name} is not offered here; ${offered === '' ? 'nothing is' : `offered are ${offered}`}` }
  }

  #refusal(reservation: Reservation, without?: Reservation): Refusal | undefined {
    const lacks = Object.entries(this.#calendar.missing(reservation, without))
    if (lacks.length === 0) return undefined
    const at = without === undefined ? this.#calendar.earliest(reservation) : undefined
    const missing = lacks.map(([name, amount]) => `${name}: ${amount} missing`).join(', ')
    const earliest = at === undefined ? undefined : at - this.#now
    const when = earliest === undefined ? '' : `; it would fit in ${(earliest / 1000).toFixed(1)} s`
    return { code: 'CAPACITY', message: `${missing}${when}`, earliest }
  }

  /** The time that background holders need to make room, ms. */
  #notice(amounts: Amounts): Milliseconds {
    for (const [name, amount] of Object.entries(amounts)) {
      const taken = [...this.#leases.values()].reduce((sum, each) => sum + (each.background ? (each.amounts[name] ?? 0) : 0), 0)
      if (taken > 0 && taken + this.#calendar.peak(name, this.#now, this.#now + GRACE) + amount > (this.#calendar.totals.get(name) ?? 0))
        return GRACE
    }
    return 0
  }

  #expire(): void {
    for (const lease of this.#leases.values()) if (lease.reservation.end <= this.#now) this.#end(lease, 'term')
  }

  #end(lease: Lease, reason: 'term' | 'released' | 'gone'): void {
    this.#leases.delete(lease.number)
    this.#calendar.remove(lease.reservation)
    if (lease.former !== undefined) this.#calendar.remove(lease.former)
    this.#effects.push({ type: 'ended', holder: lease.holder, number: lease.number, reason })
  }

  /**
   * Announces shares of background leases that have changed. A share that grows at the cost of
   * others grows when their time of grace is over.
   */
  #share(): void {
    const background = [...this.#leases.values()].filter((each) => each.background && each.reservation.start <= this.#now)
    if (background.length === 0) return
    const shares = background.map(({ amounts }): Record<string, number> => ({ ...amounts }))
    for (const [name, total] of this.#calendar.totals) {
      // A foreground lease that begins within the time of grace counts already.
      const rest = total - this.#calendar.peak(name, this.#now, this.#now + GRACE + 1)
      const wants = background.map(({ reservation }) => reservation.amounts[name] ?? 0)
      const fair = maxMin(rest, wants)
      let used = 0
      for (const [at, { amounts, yielded }] of background.entries()) {
        const [now, next] = [amounts[name] ?? 0, Math.min(amounts[name] ?? 0, fair[at] as number)]
        if (next < now) yielded.set(name, { amount: Math.max(now, this.#heldOf(background[at] as Lease, name)), until: this.#now + GRACE })
        ;(shares[at] as Record<string, number>)[name] = next
        used += Math.max(next, this.#heldOf(background[at] as Lease, name))
      }
      for (const [at, want] of wants.entries()) {
        const share = shares[at] as Record<string, number>
        if (want === 0) delete share[name]
        const more = Math.max(0, Math.min((fair[at] as number) - (share[name] ?? 0), rest - used))
        if (more === 0) continue
        share[name] = (share[name] ?? 0) + more
        used += more
      }
    }
    for (const [at, lease] of background.entries()) {
      const amounts = shares[at] as Amounts
      if (Object.keys(amounts).every((name) => lease.amounts[name] === amounts[name])) continue
      lease.amounts = amounts
      this.#effects.push({ type: 'changed', holder: lease.holder, number: lease.number, amounts })
    }
  }

  /**
   * Returns the amount that a background holder may use for a moment still, after it heard of less.
   */
  #heldOf({ yielded }: Lease, name: string): number {
    const held = yielded.get(name)
    if (held === undefined || held.until > this.#now) return held?.amount ?? 0
    yielded.delete(name)
    return 0
  }

  #granted({ number, reservation, amounts }: Lease): Granted {
    return { number, startsIn: Math.max(0, reservation.start - this.#now), endsIn: Math.max(0, reservation.end - this.#now), amounts }
  }

  #schedule(): void {
    let next = Infinity
    for (const { reservation, background, yielded } of this.#leases.values()) {
      for (const { until } of yielded.values()) next = Math.min(next, until)
      const begin = background ? reservation.start : reservation.start - GRACE
      next = Math.min(next, begin > this.#now ? begin : reservation.end)
    }
    if (next === this.#timers.at('next')) return
    this.#timers.set('next', next)
    this.#effects.push({ type: 'timer', at: next })
  }
}
