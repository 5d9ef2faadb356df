import type { Amounts, Calendar, Milliseconds, Reservation } from './calendar.ts'
import { maxMin } from './max-min.ts'

/**
 * The time between the message about a smaller share to a background holder and the begin of the
 * lease that needs the capacity, ms. A guess: the message must arrive, and a program must react.
 */
export const GRACE: Milliseconds = 500

/** A granted lease. */
export interface Lease {
  readonly number: number
  readonly holder: string
  readonly key: string
  /** The group whose rank at this member uses the lease. */
  readonly group?: string
  readonly background: boolean
  reservation: Reservation
  /** If a change waits until others have freed capacity: the reservation until then. */
  former?: Reservation
  /** The last announced amounts. */
  amounts: Amounts
  /**
   * For each capacity whose share became smaller: the former amount, and the time until which the
   * holder may still use it.
   */
  readonly yielded: Map<string, { readonly amount: number; readonly until: Milliseconds }>
}

/**
 * The background leases of a member. They share the capacity that other leases leave (max-min
 * fairness).
 */
export class Shares {
  readonly #calendar: Calendar
  /** All leases, by number. */
  readonly #leases: ReadonlyMap<number, Lease>
  readonly #wakeAt: (at: Milliseconds) => void
  #now: Milliseconds = 0

  /** @param wakeAt asks for a review at this time: a time of grace is over then */
  constructor(calendar: Calendar, leases: ReadonlyMap<number, Lease>, wakeAt: (at: Milliseconds) => void) {
    this.#calendar = calendar
    this.#leases = leases
    this.#wakeAt = wakeAt
  }

  /** The time that background holders need to free these amounts, ms. */
  notice(amounts: Amounts, now: Milliseconds): Milliseconds {
    for (const [name, amount] of Object.entries(amounts)) {
      const taken = [...this.#leases.values()].reduce((sum, each) => sum + (each.background ? (each.amounts[name] ?? 0) : 0), 0)
      if (taken > 0 && taken + this.#calendar.peak(name, now, now + GRACE) + amount > (this.#calendar.totals.get(name) ?? 0)) return GRACE
    }
    return 0
  }

  /**
   * Sets the shares, and returns the leases whose shares have changed. If a share grows at the cost
   * of others, it grows after their time of grace.
   */
  review(now: Milliseconds): readonly Lease[] {
    this.#now = now
    const background = [...this.#leases.values()].filter((each) => each.background && each.reservation.start <= now)
    if (background.length === 0) return []
    const shares = background.map(({ amounts }): Record<string, number> => ({ ...amounts }))
    for (const [name, total] of this.#calendar.totals) {
      // A foreground lease that begins within the time of grace counts already.
      const rest = total - this.#calendar.peak(name, this.#now, this.#now + GRACE + 1)
      const wants = background.map(({ reservation }) => reservation.amounts[name] ?? 0)
      const fair = maxMin(rest, wants)
      let used = 0
      for (const [at, { amounts, yielded }] of background.entries()) {
        const [now, next] = [amounts[name] ?? 0, Math.min(amounts[name] ?? 0, fair[at] as number)]
        if (next < now) {
          yielded.set(name, { amount: Math.max(now, this.#heldOf(background[at] as Lease, name)), until: this.#now + GRACE })
          this.#wakeAt(this.#now + GRACE)
        }
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
    return background.filter((lease, at) => {
      const amounts = shares[at] as Amounts
      if (Object.keys({ ...amounts, ...lease.amounts }).every((name) => lease.amounts[name] === amounts[name])) return false
      lease.amounts = amounts
      return true
    })
  }

  /**
   * Returns the former amount that a background holder may still use, after it was told a smaller
   * share; 0: none.
   */
  #heldOf({ yielded }: Lease, name: string): number {
    const held = yielded.get(name)
    if (held === undefined || held.until > this.#now) return held?.amount ?? 0
    yielded.delete(name)
    return 0
  }
}
