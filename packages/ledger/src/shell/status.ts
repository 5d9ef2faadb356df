import { isQuorum, seatsOf } from '../core/configuration.ts'
import { idOf, type Seat } from '../core/seat.ts'
import { NoMajorityError } from '../errors.ts'
import { generationOf } from './founding.ts'
import type { Participation } from './participation.ts'

/** The ledger as this member sees it. */
export interface LedgerStatus {
  /** Names the ledger. */
  readonly id: string
  /** Grows by one when a person begins the next generation after a lost majority. */
  readonly generation: number
  /**
   * `ready`: a leader is known. `no-majority`: no leader was known for two seconds, so the ledger
   * commits no entries here. `stopped`: this member's own seat has stopped, so the member only
   * reads.
   */
  readonly state: 'ready' | 'no-majority' | 'stopped'
  /** The term, as far as this member knows. */
  readonly term: number
  /** The id of the member whose seat leads. Undefined: none is known. */
  readonly leader: string | undefined
  readonly voters: readonly {
    readonly id: string
    /**
     * Whether its store outlives its process. Undefined: the voter can't be reached, and this
     * member has not seen it before.
     */
    readonly durable: boolean | undefined
    /** Whether this member's node knows the voter. */
    readonly reachable: boolean
  }[]
  /**
   * The last entry that this member has applied. Without a majority: the last entry in the log of
   * its seat, if that one is later.
   */
  readonly index: number
}

export function statusOf(part: Participation | undefined, hasMajority: boolean): LedgerStatus {
  if (part === undefined) return { id: '', generation: 0, state: 'no-majority', term: 0, leader: undefined, voters: [], index: 0 }
  const { ledger, applied, leader, term, seat, seats } = part
  const voters = seatsOf(part.voters).map((each) => ({
    id: idOf(each),
    durable: part.isDurable(each),
    reachable: seats.all.has(each),
  }))
  return {
    id: ledger,
    generation: generationOf(ledger),
    state: !hasMajority ? 'no-majority' : seat === undefined ? 'stopped' : 'ready',
    term,
    leader: leader === undefined ? undefined : idOf(leader),
    voters,
    index: hasMajority ? applied.end.index : Math.max(applied.end.index, seat?.state.log.lastIndex ?? 0),
  }
}

/** Makes the error of a call without an answer. It names the voters that can't be reached. */
export function noMajority(part: Participation | undefined): NoMajorityError {
  const voters = part?.voters ?? { groups: [] }
  const present = part?.seats.all ?? new Set<Seat>()
  const seats = seatsOf(voters)
  const missing = seats.filter((seat) => !present.has(seat)).map(idOf)
  const why = isQuorum(voters, present) ? '' : ': it has no majority of its voters here'
  const whom = missing.length === 0 ? '' : `; of ${seats.length} voters these can't be reached: ${missing.join(', ')}`
  return new NoMajorityError(`the ledger gave no answer in time${why}${whom}`)
}
