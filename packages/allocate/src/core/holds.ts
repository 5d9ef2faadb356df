import { MOST_LISTED, MOST_NAMED } from './listed-groups.ts'
import type { Amounts, Calendar, Milliseconds, Reservation } from './calendar.ts'

/**
 * A hold yields to any other group if its group has not locked it within this time, ms. A guess.
 */
const LONGEST_HOLD: Milliseconds = 10_000
/** A request counts as at most this old, ms: a member may lie about its date. A guess. */
const OLDEST: Milliseconds = 3_600_000
/** Maximum number of holds of a member, and of holds that one member asked for. Guesses. */
const [MAX_HOLDS, MAX_OF_ONE] = [1024, 64]

/** A request to hold capacity for one rank of a group that is about to start. */
export interface HoldRequest {
  readonly group: string
  /**
   * The number of this hold among the holds of one group at this member, from 0. Each of them has a
   * name of its own in `group`.
   */
  readonly place: number
  /** The member that starts the group. */
  readonly holder: string
  /**
   * The date of the request of the group, by the wall clock of its starter, Unix ms. Older groups
   * have priority.
   */
  readonly date: number
  readonly amounts: Amounts
  /** The longest time that the group runs, ms. */
  readonly for: Milliseconds
}

export type HoldEffect =
  /**
   * The group has its capacity. An older group may still take it, until the lock. `places`: the
   * number of ranks of the group that fit into the whole capacity of this member.
   */
  | { readonly type: 'held'; readonly group: string; readonly places: number }
  /**
   * The group waits, since others have the capacity. `isTaken`: the group had the capacity, and
   * another group took it.
   */
  | { readonly type: 'waits'; readonly group: string; readonly places: number; readonly isTaken: boolean }

/** A hold, and the groups that have the capacity for which it waits. */
export interface HoldStatus {
  readonly group: string
  readonly state: 'waiting' | 'held' | 'locked'
  readonly amounts: Amounts
  readonly groups: readonly string[]
}

interface Hold extends HoldRequest {
  date: number
  state: 'waiting' | 'held' | 'locked'
  /** The time since which its state is `held`. */
  since: Milliseconds
  reservation: Reservation | undefined
}

/**
 * The capacity that this member reserves for groups before they start. It follows wound-wait
 * (Rosenkrantz et al. 1978): an older group takes an unlocked hold from a younger group, and a
 * younger group waits for an older one. So two groups can't wait for each other for ever, even if
 * each has some of the members that both need.
 */
export class Holds {
  readonly #calendar: Calendar
  /** Returns the time that background leases need to free these amounts, ms. */
  readonly #notice: (amounts: Amounts, now: Milliseconds) => Milliseconds
  readonly #wakeAt: (at: Milliseconds) => void
  readonly #holds = new Map<string, Hold>()

  /** @param wakeAt asks for a review at this time: a hold may yield then */
  constructor(calendar: Calendar, notice: (amounts: Amounts, now: Milliseconds) => Milliseconds, wakeAt: (at: Milliseconds) => void) {
    this.#calendar = calendar
    this.#notice = notice
    this.#wakeAt = wakeAt
  }

  /** Adds a hold. Returns the reason if there are too many holds. */
  ask(asked: HoldRequest): 'TOO_MANY' | undefined {
    if (this.#holds.has(asked.group)) return undefined
    const ofOne = [...this.#holds.values()].filter(({ holder }) => holder === asked.holder).length
    if (this.#holds.size >= MAX_HOLDS || ofOne >= MAX_OF_ONE) return 'TOO_MANY'
    this.#holds.set(asked.group, { ...asked, state: 'waiting', since: 0, reservation: undefined })
    return undefined
  }

  /** Returns the effect that tells a group that it waits, if it waits. */
  waits(group: string): HoldEffect[] {
    const hold = this.#holds.get(group)
    return hold?.state === 'waiting' ? [{ type: 'waits', group, places: this.#places(hold.amounts), isTaken: false }] : []
  }

  /** Lists the holds. A hold waits for locked holds and for older holds of the same capacities. */
  list(date: number): HoldStatus[] {
    const all = [...this.#holds.values()]
    return all.slice(0, MOST_LISTED).map((hold) => {
      const isBefore = (each: Hold): boolean =>
        each !== hold && sharesCapacity(each.amounts, hold.amounts) && (each.state === 'locked' || this.#order(each, hold, date) < 0)
      const before = hold.state === 'waiting' ? all.filter(isBefore).sort((a, b) => this.#order(a, b, date)) : []
      return { group: hold.group, state: hold.state, amounts: hold.amounts, groups: before.slice(0, MOST_NAMED).map(({ group }) => group) }
    })
  }

  /** Protects a hold from other groups. Returns false if the group has no capacity now. */
  lock(group: string): boolean {
    const hold = this.#holds.get(group)
    if (hold === undefined || hold.state === 'waiting') return false
    hold.state = 'locked'
    return true
  }

  /** Ends the protection of a locked hold. */
  unlock(group: string, now: Milliseconds): void {
    const hold = this.#holds.get(group)
    if (hold?.state !== 'locked') return
    hold.state = 'held'
    hold.since = now
    this.#wakeAt(now + LONGEST_HOLD)
  }

  /** Ends a hold, and returns it. The caller keeps its reservation or removes it. */
  end(group: string): (HoldRequest & { readonly reservation: Reservation | undefined }) | undefined {
    const hold = this.#holds.get(group)
    this.#holds.delete(group)
    return hold
  }

  /** The groups of a starter whose holds are not locked. */
  unlockedOf(holder: string): string[] {
    return [...this.#holds.values()].filter((each) => each.holder === holder && each.state !== 'locked').map(({ group }) => group)
  }

  /**
   * Gives free capacity to the groups that wait, the oldest first. If a group does not fit, younger
   * groups get nothing of the same capacities.
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
      this.#wakeAt(now + LONGEST_HOLD)
      effects.push({ type: 'held', group: hold.group, places: this.#places(hold.amounts) })
    }
    return effects
  }

  /** The times from which on holds yield to any group that waits. */
  get yieldTimes(): Milliseconds[] {
    return [...this.#holds.values()].filter(({ state }) => state === 'held').map(({ since }) => since + LONGEST_HOLD)
  }

  #places(amounts: Amounts): number {
    const { totals } = this.#calendar
    const some = Object.entries(amounts).filter(([, amount]) => amount > 0)
    return Math.floor(Math.min(...some.map(([name, amount]) => (totals.get(name) ?? 0) / amount)))
  }

  /**
   * Takes capacity from younger groups, the youngest first, and returns their holds. A hold that
   * need not be taken is kept. Returns undefined, and takes nothing, if all is not enough.
   */
  #makeRoom(hold: Hold, reservation: Reservation, now: Milliseconds, date: number): readonly Hold[] | undefined {
    const fits = (): boolean => Object.keys(this.#calendar.missing(reservation)).length === 0
    const weaker = [...this.#holds.values()]
      .filter((each) => each.state === 'held' && (this.#order(hold, each, date) < 0 || now - each.since >= LONGEST_HOLD))
      .filter(({ amounts }) => sharesCapacity(amounts, hold.amounts))
      .sort((a, b) => this.#order(b, a, date))
    let taken: Hold[] = []
    while (!fits()) {
      const next = weaker.shift()
      if (next === undefined) {
        for (const each of taken) this.#calendar.add(each.reservation as Reservation)
        return undefined
      }
      this.#calendar.remove(next.reservation as Reservation)
      taken.push(next)
    }
    // A hold that was taken later may be larger. Then the holds that were taken before it may fit
    // again.
    taken = taken.toReversed().filter((each) => {
      this.#calendar.add(each.reservation as Reservation)
      if (fits()) return false
      this.#calendar.remove(each.reservation as Reservation)
      return true
    })
    for (const each of taken) {
      // The hold had its time. It counts as younger than the others from now on.
      if (now - each.since >= LONGEST_HOLD) each.date = date
      Object.assign(each, { state: 'waiting', reservation: undefined })
    }
    return taken
  }

  /**
   * Compares the ages of two groups. All members put two groups in the same order, unless one group
   * is older than an hour.
   */
  #order(a: Hold, b: Hold, date: number): number {
    const [one, other] = [Math.max(a.date, date - OLDEST), Math.max(b.date, date - OLDEST)]
    return one === other ? (a.group < b.group ? -1 : 1) : one - other
  }
}

/** Whether two amounts name a capacity in common. */
export function sharesCapacity(one: Amounts, other: Amounts): boolean {
  return Object.keys(one).some((name) => Object.hasOwn(other, name))
}
