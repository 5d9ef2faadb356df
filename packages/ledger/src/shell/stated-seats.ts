import type { Seat } from '../core/seat.ts'
import type { LedgerPort } from './port.ts'
import { readSeat, type SeatStatement } from './seat-constant.ts'

/** The seats that the present members state in their constants, for one ledger. */
export class StatedSeats {
  readonly #ledger: string
  #byId: ReadonlyMap<string, SeatStatement> = new Map()
  #seats: ReadonlySet<Seat> = new Set()

  constructor(ledger: string) {
    this.#ledger = ledger
  }

  /** All stated seats. */
  get all(): ReadonlySet<Seat> {
    return this.#seats
  }

  /**
   * The statement of a member. Undefined: the member is not present, or states no seat in this
   * ledger.
   */
  of(id: string): SeatStatement | undefined {
    return this.#byId.get(id)
  }

  /** Reads the constants of the members. Returns whether the seats have changed. */
  read(members: ReturnType<LedgerPort['members']>): boolean {
    const stated = members.flatMap((member) => {
      const each = readSeat(member)
      return each?.ledger === this.#ledger ? [[member.id, each] as const] : []
    })
    this.#byId = new Map(stated)
    const before = this.#seats
    this.#seats = new Set(stated.map(([, { seat }]) => seat))
    return before.size !== this.#seats.size || [...this.#seats].some((seat) => !before.has(seat))
  }
}
