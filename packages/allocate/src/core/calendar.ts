import type { Milliseconds } from '@jel/machine'

export type { Milliseconds }

/** Amounts by the name of their capacity. */
export type Amounts = Readonly<Record<string, number>>

/** Amounts that are reserved from `start` until `end`. They are free again at `end`. */
export interface Reservation {
  readonly start: Milliseconds
  readonly end: Milliseconds
  readonly amounts: Amounts
}

/**
 * If there are more reservations than this, `earliest` does not search. A guess: a search takes 3
 * ms.
 */
const MAX_SEARCHED = 128

/** Sums may exceed a capacity by this share: amounts such as 0.1 have no exact sum. */
const ROUNDING = 1e-9

/**
 * The reservations of a member's capacities over time (GARA's slot table). At no moment do they
 * exceed a capacity.
 */
export class Calendar {
  readonly #totals = new Map<string, number>()
  readonly #reservations = new Set<Reservation>()

  get totals(): ReadonlyMap<string, number> {
    return this.#totals
  }

  /** Sets a capacity. Returns false if the reservations from `now` on exceed it. */
  offer(name: string, total: number, now: Milliseconds): boolean {
    if (this.peak(name, now, Infinity) > total * (1 + ROUNDING)) return false
    this.#totals.set(name, total)
    return true
  }

  /** Adds a reservation that fits: see `missing`. */
  add(reservation: Reservation): void {
    this.#reservations.add(reservation)
  }

  remove(reservation: Reservation): void {
    this.#reservations.delete(reservation)
  }

  /** Returns the largest sum of the reservations of a capacity at any moment of this time. */
  peak(name: string, start: Milliseconds, end: Milliseconds, without?: Reservation): number {
    const edges: [Milliseconds, number][] = []
    for (const each of this.#reservations) {
      const amount = each.amounts[name] ?? 0
      if (each === without || amount === 0 || each.end <= start || each.start >= end) continue
      edges.push([Math.max(each.start, start), amount], [each.end, -amount])
    }
    // At equal times the ends come first: a reservation does not count at its end.
    edges.sort(([a, x], [b, y]) => a - b || x - y)
    let [sum, most] = [0, 0]
    for (const [, amount] of edges) most = Math.max(most, (sum += amount))
    return most
  }

  /** Returns the amounts that are missing for a reservation; empty: it fits. */
  missing({ start, end, amounts }: Reservation, without?: Reservation): Amounts {
    const lacks: Record<string, number> = {}
    for (const [name, amount] of Object.entries(amounts)) {
      const total = this.#totals.get(name) ?? 0
      const over = this.peak(name, start, end, without) + amount - total
      if (over > total * ROUNDING) lacks[name] = over
    }
    return lacks
  }

  /**
   * Returns the earliest start, from the start of this reservation on, at which it fits; undefined:
   * it never fits, or there are too many reservations to search.
   */
  earliest({ start, end, amounts }: Reservation): Milliseconds | undefined {
    if (Object.entries(amounts).some(([name, amount]) => amount > (this.#totals.get(name) ?? 0))) return undefined
    if (this.#reservations.size > MAX_SEARCHED) return undefined
    // Capacity becomes free only when a reservation ends.
    const ends = [...this.#reservations].map((each) => each.end).filter((each) => each > start && each < Infinity)
    return [start, ...ends.sort((a, b) => a - b)].find(
      (from) => Object.keys(this.missing({ start: from, end: from + end - start, amounts })).length === 0,
    )
  }
}
