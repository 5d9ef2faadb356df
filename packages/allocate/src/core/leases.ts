import { Timers, type Machine, type TimerEffect, type TimerInput } from '@jel/machine'
import { Calendar, type Amounts, type Milliseconds, type Reservation } from './calendar.ts'
import { Holds, sharesCapacity, type HoldRequest, type HoldStatus } from './holds.ts'
import { LONGEST, type Granted, type HoldInput, type LeaseEffect, type LeaseInput, type LeaseRequest, type Refusal } from './lease-input.ts'
import { MOST_NAMED } from './listed-groups.ts'
import { GRACE, Shares, type Lease } from './shares.ts'

/** Maximum number of leases that a member grants, in total and to one holder. Guesses. */
const [MAX_LEASES, MAX_OF_ONE] = [1024, 64]
/** Maximum number of capacities that a refusal names. */
const MOST_IN_MESSAGE = 4

const TOO_LONG: Refusal = { code: 'CAPACITY', message: 'the term is too long: a lease must end within 31 days' }

/**
 * The leases of the capacities of one member, as a state machine (GARA). Only this member grants
 * them, and it stores them in memory only. So they stay valid during a partition, and end with the
 * life of this member.
 */
export class Leases implements Machine<LeaseInput, LeaseEffect> {
  readonly #calendar = new Calendar()
  readonly #leases = new Map<number, Lease>()
  readonly #shares = new Shares(this.#calendar, this.#leases, (at) => this.#timers.advance('grace', at))
  readonly #holds = new Holds(
    this.#calendar,
    (amounts, now) => this.#shares.notice(amounts, now),
    (at) => this.#timers.advance('hold', at),
  )
  /**
   * `end`: a lease ends. `begin`: a background lease begins, or background holders must make room
   * for a lease that begins soon. `grace`: the time of grace of a background holder is over.
   * `hold`: a hold may yield.
   */
  readonly #timers = new Timers(['end', 'begin', 'grace', 'hold'])
  #number = 0
  #now: Milliseconds = 0
  /**
   * The Unix time at which the clock of the inputs was 0, ms, as the last request for a hold told
   * it.
   */
  #origin: Milliseconds = 0
  #effects: (LeaseEffect | TimerEffect)[] = []

  /** All leases, the oldest first. */
  list(): readonly Lease[] {
    return [...this.#leases.values()]
  }

  get(number: number): Lease | undefined {
    return this.#leases.get(number)
  }

  get totals(): ReadonlyMap<string, number> {
    return this.#calendar.totals
  }

  /**
   * The holds of groups. A hold that waits has the numbers of the leases that use the capacity now.
   */
  holds(now: Milliseconds): (HoldStatus & { readonly leases: readonly number[] })[] {
    return this.#holds.list(this.#origin + now).map((hold) => {
      const before = [...this.#leases.values()].filter(
        ({ reservation: { start, amounts }, background }) =>
          hold.state === 'waiting' && !background && start <= now && sharesCapacity(amounts, hold.amounts),
      )
      const groups = before.flatMap(({ group }) => (group === undefined ? [] : [group]))
      const plain = before.flatMap(({ number, group }) => (group === undefined ? [number] : []))
      return { ...hold, groups: [...groups, ...hold.groups].slice(0, MOST_NAMED), leases: plain.slice(0, MOST_NAMED) }
    })
  }

  /** Whether this member may reduce a capacity to this amount: its leases must not exceed it. */
  mayOffer(name: string, total: number, now: Milliseconds): boolean {
    return this.#calendar.peak(name, now, Infinity) <= total
  }

  handle(input: LeaseInput | TimerInput, now: Milliseconds): readonly (LeaseEffect | TimerEffect)[] {
    const wakeAt = this.#timers.next
    this.#now = now
    this.#effects = []
    this.#timers.fire(now, (name) => this.#fire(name))
    if (input.type === 'hold') this.#origin = input.wall - now
    if (input.type === 'gone') {
      for (const lease of this.#leases.values()) if (lease.holder === input.holder) this.#end(lease, 'gone')
      for (const group of this.#holds.unlockedOf(input.holder)) this.#letGo(group)
    } else if (isOfGroup(input)) this.#forGroup(input)
    else if (input.type === 'offer') this.#calendar.offer(input.name, input.total, this.#now)
    else if (input.type !== 'timer') {
      const answer = this.#answer(input)
      if ('code' in answer) this.#effects.push({ type: 'refused', request: input.request, refusal: answer })
      else this.#effects.push({ type: 'granted', request: input.request, lease: this.#granted(answer) })
    }
    this.#effects.push(...this.#holds.review(this.#now, this.#origin + now))
    if (input.type === 'hold') this.#effects.push(...this.#holds.waits(input.asked.group))
    for (const { holder, number, amounts } of this.#shares.review(this.#now))
      this.#effects.push({ type: 'changed', holder, number, amounts })
    const { next } = this.#timers
    if (next !== wakeAt && next < Infinity) this.#effects.push({ type: 'timer', at: next })
    return this.#effects
  }

  /** Handles an input about the hold of a group, or about the lease that a hold has become. */
  #forGroup(input: HoldInput): void {
    if (input.type === 'hold') {
      const refusal = this.#holdRefusal(input.asked)
      if (refusal !== undefined) this.#effects.push({ type: 'noHold', group: input.asked.group, refusal })
      return
    }
    const { group } = input
    if (input.type === 'lock') this.#effects.push({ type: 'locked', group, attempt: input.attempt, isHeld: this.#holds.lock(group) })
    else if (input.type === 'unlock') this.#holds.unlock(group, this.#now)
    else if (input.type === 'letGo') this.#letGo(group)
    else this.#start(group, input.self)
  }

  /** The locked hold of a group becomes a lease, with the same reservation. */
  #start(group: string, holder: string): void {
    const { reservation } = this.#holds.end(group) ?? {}
    if (reservation === undefined) return
    const { amounts } = reservation
    const lease = { number: ++this.#number, holder, key: group, group, background: false, reservation, amounts, yielded: new Map() }
    this.#leases.set(lease.number, lease)
    this.#watch(lease)
    this.#effects.push({ type: 'started', group, startsIn: Math.max(0, reservation.start - this.#now) })
  }

  /**
   * Asks for a hold of a group. Returns the refusal, if there is one: the capacity is not offered,
   * too little of it is offered, or there are too many holds. A hold that waits for other groups is
   * not refused: see `Holds.waits`.
   */
  #holdRefusal(asked: HoldRequest): Refusal | undefined {
    const unknown = this.#unknown(asked.amounts)
    if (unknown !== undefined) return unknown
    for (const [name, amount] of Object.entries(asked.amounts)) {
      const total = this.#calendar.totals.get(name) ?? 0
      const wanted = amount * (asked.place + 1)
      if (wanted > total) return { code: 'CAPACITY', message: `${name}: ${wanted} wanted, ${total} offered` }
    }
    const tooMany = this.#holds.ask(asked)
    if (tooMany !== undefined) return { code: tooMany, message: 'too many groups ask for a hold here' }
    return undefined
  }

  /** Ends the hold of a group, or its lease. */
  #letGo(group: string): void {
    const held = this.#holds.end(group)
    if (held?.reservation !== undefined) this.#calendar.remove(held.reservation)
    for (const lease of this.#leases.values()) if (lease.group === group) this.#end(lease, 'released')
  }

  #answer(input: Exclude<LeaseInput, HoldInput | { type: 'gone' | 'offer' }>): Lease | Refusal {
    if (input.type === 'ask') return this.#ask(input.holder, input.asked)
    const lease = this.#leases.get(input.number)
    if (lease?.holder !== input.holder) return { code: 'NO_LEASE', message: `the asking member has no lease ${input.number} here` }
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
    const ofHolder = [...this.#leases.values()].filter((each) => each.holder === holder)
    const known = ofHolder.find(({ key }) => key === asked.key)
    if (known !== undefined) return known
    if (asked.again === true) return { code: 'NO_LEASE', message: 'the lease has ended' }
    if (this.#leases.size >= MAX_LEASES || ofHolder.length >= MAX_OF_ONE)
      return {
        code: 'TOO_MANY',
        message: `there are ${this.#leases.size} leases here, ${ofHolder.length} of them yours; at most ${MAX_LEASES} and ${MAX_OF_ONE} are allowed`,
      }
    const unknown = this.#unknown(asked.amounts)
    if (unknown !== undefined) return unknown
    if (asked.from + asked.for > LONGEST) return TOO_LONG
    const start = this.#now + (asked.background ? asked.from : Math.max(asked.from, this.#shares.notice(asked.amounts, this.#now)))
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
    this.#watch(lease)
    return lease
  }

  /**
   * Changes the amounts of a lease, if they fit.
   *
   * Background holders may have to free capacity for the new amounts. Then the new amounts begin
   * after the time of grace of these holders. The answer has the new amounts at once, and
   * `startsIn` says when they begin. Until then the calendar keeps the former amounts
   * (`lease.former`), and no second change is granted.
   */
  #change(lease: Lease, amounts: Amounts): Lease | Refusal {
    const { start, end, amounts: former } = lease.reservation
    const pending = (lease.former?.end ?? 0) - this.#now
    if (pending > 0) return { code: 'CAPACITY', message: 'an earlier change of this lease is still pending', earliest: pending }
    const more = Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Math.max(0, amount - (former[name] ?? 0))]))
    const from = Math.max(start, this.#now + (lease.background ? 0 : this.#shares.notice(more, this.#now)))
    if (from >= end) return { code: 'CAPACITY', message: 'the lease ends before the capacity is free' }
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
    if (reservation.end > this.#now + LONGEST) return TOO_LONG
    if (!lease.background) {
      const refusal = this.#refusal(reservation, lease.reservation)
      if (refusal !== undefined) return refusal
      this.#calendar.remove(lease.reservation)
      this.#calendar.add(reservation)
      lease.amounts = reservation.amounts
    }
    lease.reservation = reservation
    this.#watch(lease)
    return lease
  }

  #unknown(amounts: Amounts): Refusal | undefined {
    const name = Object.keys(amounts).find((each) => !this.#calendar.totals.has(each))
    if (name === undefined) return undefined
    const offered = listOf([...this.#calendar.totals.keys()])
    return { code: 'NO_CAPACITY', message: `${name} is not offered here; ${offered === '' ? 'nothing is' : `offered are ${offered}`}` }
  }

  #refusal(reservation: Reservation, without?: Reservation): Refusal | undefined {
    const lacks = Object.entries(this.#calendar.missing(reservation, without))
    if (lacks.length === 0) return undefined
    const at = without === undefined ? this.#calendar.earliest(reservation) : undefined
    const missing = listOf(lacks.map(([name, amount]) => `${name}: ${amount} missing`))
    const earliest = at === undefined ? undefined : at - this.#now
    const when = earliest === undefined ? '' : `; it would fit in ${(earliest / 1000).toFixed(1)} s`
    return { code: 'CAPACITY', message: `${missing}${when}`, earliest }
  }

  /** Sets the timers for a lease that is new, or has another reservation. */
  #watch(lease: Lease): void {
    this.#timers.advance('end', lease.reservation.end)
    const at = beginOf(lease)
    if (at > this.#now) this.#timers.advance('begin', at)
  }

  /**
   * Ends the leases whose term is over, and sets the timer that has fired to its next time. All
   * else that a timer is for happens in `handle`, which reviews the holds and the shares after each
   * input.
   */
  #fire(name: 'end' | 'begin' | 'grace' | 'hold'): void {
    if (name === 'end') for (const lease of this.#leases.values()) if (lease.reservation.end <= this.#now) this.#end(lease, 'term')
    const leases = [...this.#leases.values()]
    const times = {
      end: () => leases.map(({ reservation }) => reservation.end),
      begin: () => leases.map(beginOf),
      grace: () => leases.flatMap(({ yielded }) => [...yielded.values()].map(({ until }) => until)),
      hold: () => this.#holds.yieldTimes,
    }[name]()
    for (const at of times) if (at > this.#now) this.#timers.advance(name, at)
  }

  #end(lease: Lease, reason: 'term' | 'released' | 'gone'): void {
    this.#leases.delete(lease.number)
    this.#calendar.remove(lease.reservation)
    if (lease.former !== undefined) this.#calendar.remove(lease.former)
    this.#effects.push({ type: 'ended', holder: lease.holder, number: lease.number, reason, group: lease.group })
  }

  #granted({ number, reservation, amounts }: Lease): Granted {
    return { number, startsIn: Math.max(0, reservation.start - this.#now), endsIn: Math.max(0, reservation.end - this.#now), amounts }
  }
}

/**
 * Returns the time at which a lease changes the shares of background leases. A background lease
 * gets its share when it begins. Any other lease needs room when it begins. So the shares become
 * smaller before that, by the time {@link GRACE}.
 */
function beginOf({ reservation, background }: Lease): Milliseconds {
  return background ? reservation.start : reservation.start - GRACE
}

/** Joins the first items of a list: a message has a maximum length. */
function listOf(items: readonly string[]): string {
  return [...items.slice(0, MOST_IN_MESSAGE), ...(items.length > MOST_IN_MESSAGE ? ['…'] : [])].join(', ')
}

const OF_GROUPS = new Set<string>(['hold', 'lock', 'unlock', 'start', 'letGo'] satisfies HoldInput['type'][])

function isOfGroup(input: LeaseInput | TimerInput): input is HoldInput {
  return OF_GROUPS.has(input.type)
}
