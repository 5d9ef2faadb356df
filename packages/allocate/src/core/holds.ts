import { MOST_LISTED, MOST_NAMED } from './listed-groups.ts'
import type { Amounts, Calendar, Milliseconds, Reservation } from './calendar.ts'

/** A hold that its group does not lock for this time yields to any other group, ms. From GRID. */
const LONGEST_HOLD: Milliseconds = 10_000
/** An older date of request counts as this age, ms. From GRID: members may lie about it. */
const OLDEST: Milliseconds = 3_600_000
/** Maximum number of holds at a member, and of those that one member asked for. Guesses. */
const [MAX_HOLDS, MAX_OF_ONE] = [1024, 64]

/** A request to hold capacity for one rank of a group that is about to start. */
export interface HoldRequest {
  readonly group: string
  /** A group may have several holds here, each with a name of its own: the number of this one. */
  readonly place: number
  /** The member that starts the group. */
  readonly holder: string
  /** The date of the group's request by its member's calendar, Unix ms. Older groups come first. */
  readonly date: number
  readonly amounts: Amounts
  /** The longest time that the group runs, ms. */
  readonly for: Milliseconds
}

export type HoldEffect =
  /**
   * The group has its capacity, unless an older group takes it before the lock. All capacity of
   * this member would be enough for so many `places` of the group.
   */
  | { readonly type: 'held'; readonly group: string; readonly places: number }
  /** The group waits: others have the capacity. `isTaken`: it had a hold, and lost it. */
  | { readonly type: 'waits'; readonly group: string; readonly places: number; readonly isTaken: boolean }

/** A hold, and the groups for whose capacity it waits. */
export interface HoldStatus {
  readonly group: string
  readonly state: 'waiting' | 'held' | 'locked'
  readonly amounts: Amounts
  readonly groups: readonly string[]
}

interface Hold extends HoldRequest {
  date: number
  state: 'waiting' | 'held' | 'locked'
  /** The time since which it is held. */
  since: Milliseconds
  reservation: Reservation | undefined
}

/**
 * The capacity that groups hold before they start (wound-wait, Rosenkrantz et al. 1978). An older
 * group takes a hold from a younger one that has not locked it. A younger group waits. So groups
 * that hold parts of each other's members can't wait for each other for ever.
 */
export class Holds {
  readonly #calendar: Calendar
  /** Returns the time that others need to make room, ms. */
  readonly #notice: (amounts: Amounts, now: Milliseconds) => Milliseconds
  readonly #holds = new Map<string, Hold>()

  constructor(calendar: Calendar, notice: (amounts: Amounts, now: Milliseconds) => Milliseconds) {
    this.#calendar = calendar
    this.#notice = notice
  }

  /** Returns the reason why this member can't hold so much; undefined: it asks for it now. */
  ask(asked: HoldRequest): 'TOO_MANY' | undefined {
    if (this.#holds.has(asked.group)) return undefined
    const ofOne = [...this.#holds.values()].filter(({ holder }) => holder === asked.holder).length
    if (this.#holds.size >= MAX_HOLDS || ofOne >= MAX_OF_ONE) return 'TOO_MANY'
    this.#holds.set(asked.group, { ...asked, state: 'waiting', since: 0, reservation: undefined })
    return undefined
  }

  /** Says that a group waits, if it does. */
  waits(group: string): HoldEffect[] {
    const hold = this.#holds.get(group)
    return hold?.state === 'waiting' ? [{ type: 'waits', group, places: this.#places(hold.amounts), isTaken: false }] : []
  }

  /** Lists the holds. A hold waits for locked ones and for older ones of the same capacities. */
  list(date: number): HoldStatus[] {
    const all = [...this.#holds.values()]
    return all.slice(0, MOST_LISTED).map((hold) => {
      const isBefore = (each: Hold): boolean =>
        each !== hold && sharesCapacity(each.amounts, hold.amounts) && (each.state === 'locked' || this.#order(each, hold, date) < 0)
      const before = hold.state === 'waiting' ? all.filter(isBefore).sort((a, b) => this.#order(a, b, date)) : []
      return { group: hold.group, state: hold.state, amounts: hold.amounts, groups: before.slice(0, MOST_NAMED).map(({ group }) => group) }
    })
  }

  /** Protects a hold from other groups. Returns false if the group has none now. */
  lock(group: string): boolean {
    const hold = this.#holds.get(group)
    if (hold === undefined || hold.state === 'waiting') return false
    hold.state = 'locked'
    return true
  }

  /** Makes a locked hold a mere hold again. */
  unlock(group: string, now: Milliseconds): void {
    const hold = this.#holds.get(group)
    if (hold?.state !== 'locked') return
    hold.state = 'held'
    hold.since = now
  }

  /** Ends a hold. Returns what it reserved: the caller keeps it or removes it. */
  end(group: string): (HoldRequest & { readonly reservation: Reservation | undefined }) | undefined {
    const hold = this.#holds.get(group)
    this.#holds.delete(group)
    return hold
  }

  /** The groups of a member that has not locked their holds. */
  unlockedOf(holder: string): string[] {
    return [...this.#holds.values()].filter((each) => each.holder === holder && each.state !== 'locked').map(({ group }) => group)
  }

  /**
   * Gives free capacity to the groups that wait, the oldest first. A group that does not fit keeps
   * younger ones from the same capacities.
   */
  review(now: Milliseconds, date: number): HoldEffect[] {
    const effects: HoldEffect[] = []
    const waiting = [...this.#holds.values()].filter(({ state }) => state === 'waiting').sort((a, b) => this.#order(a, b, date))
    const kept = new Set<string>()
    for (const hold of waiting) {
      const names = Object.keys(hold.amounts)
      if (names.some((name) => kept.has(name))) continue
      const start = now + this.#notice(hold.amounts, now)
      const reservation = { start, end: start + hold.for, amounts: hold.amounts }
      const taken = this.#makeRoom(hold, reservation, now, date)
      if (taken === undefined) {
        for (const name of names) kept.add(name)
        continue
      }
      for (const { group, amounts } of taken) effects.push({ type: 'waits', group, places: this.#places(amounts), isTaken: true })
      this.#calendar.add(reservation)
      Object.assign(hold, { state: 'held', since: now, reservation })
      effects.push({ type: 'held', group: hold.group, places: this.#places(hold.amounts) })
    }
    return effects
  }

  /** The next time at which a hold may yield to a group that waits; Infinity: never. */
  next(now: Milliseconds): Milliseconds {
    const holds = [...this.#holds.values()]
    if (holds.every(({ state }) => state !== 'waiting')) return Infinity
    const yields = holds.filter(({ state }) => state === 'held').map(({ since }) => since + LONGEST_HOLD)
    return Math.min(Infinity, ...yields.filter((at) => at > now))
  }

  #places(amounts: Amounts): number {
    const { totals } = this.#calendar
    const some = Object.entries(amounts).filter(([, amount]) => amount > 0)
    return Math.floor(Math.min(...some.map(([name, amount]) => (totals.get(name) ?? 0) / amount)))
  }

  /** Takes holds from younger groups, if that is enough. Returns undefined if it is not. */
  #makeRoom(hold: Hold, reservation: Reservation, now: Milliseconds, date: number): readonly Hold[] | undefined {
    const fits = (): boolean => Object.keys(this.#calendar.missing(reservation)).length === 0
    const weaker = [...this.#holds.values()]
      .filter((each) => each.state === 'held' && (this.#order(hold, each, date) < 0 || now - each.since >= LONGEST_HOLD))
      .sort((a, b) => this.#order(b, a, date))
    const taken: Hold[] = []
    while (!fits()) {
      const next = weaker.shift()
      if (next === undefined) {
        for (const each of taken) this.#calendar.add(each.reservation as Reservation)
        return undefined
      }
      this.#calendar.remove(next.reservation as Reservation)
      taken.push(next)
    }
    for (const each of taken) {
      // It had its time. From now on the others are older.
      if (now - each.since >= LONGEST_HOLD) each.date = date
      Object.assign(each, { state: 'waiting', reservation: undefined })
    }
    return taken
  }

  /** All members put two groups in the same order, unless one of them is older than an hour. */
  #order(a: Hold, b: Hold, date: number): number {
    const [one, other] = [Math.max(a.date, date - OLDEST), Math.max(b.date, date - OLDEST)]
    return one === other ? (a.group < b.group ? -1 : 1) : one - other
  }
}

/** Whether two amounts name a capacity in common. */
export function sharesCapacity(one: Amounts, other: Amounts): boolean {
  return Object.keys(one).some((name) => Object.hasOwn(other, name))
}
