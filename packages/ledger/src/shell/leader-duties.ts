import { siteOf } from '@jel/overlay'
import { hasSeat, isFounding, seatsOf } from '../core/configuration.ts'
import { chooseVoters, type Eligible } from '../core/placement.ts'
import type { Seat } from '../core/seat.ts'
import { encode } from '../fold/bodies.ts'
import type { Life } from '../fold/events.ts'
import type { LedgerPort } from './port.ts'
import type { Participation } from './participation.ts'
import type { SeatHost } from './seat-host.ts'

/** The most ended lives that are remembered. A guess. */
const MAX_ENDED = 10_000
/** A voter that has answered within this time is alive, ms: two heartbeats. */
const ANSWERS = 2000
/**
 * A member is dead if the leader's node does not know it for this time, ms. It ended while no
 * leader was there to notice. A guess: a hundred times the time in which a join spreads.
 */
const UNKNOWN = 30_000

/**
 * The duties of the member whose seat leads. It proposes the ends of lives, and chooses the voters.
 */
export class LeaderDuties {
  readonly #port: LedgerPort
  readonly #part: () => Participation | undefined
  readonly #most: number
  readonly #ended = new Map<string, { readonly incarnation: number; readonly how: 'left' | 'died' }>()
  readonly #unknownSince = new Map<string, number>()
  /** The lives whose end was proposed in this term. */
  readonly #proposed = new Map<string, number>()
  #term = 0

  /** @param most the largest number of voters */
  constructor(port: LedgerPort, part: () => Participation | undefined, most: number) {
    this.#port = port
    this.#part = part
    this.#most = most
  }

  /**
   * A life has ended in the pool, as this member's node reports, or in the ledger. Each member
   * remembers the life, because the member may lead later.
   */
  ended({ id, incarnation }: Life, how: 'left' | 'died'): void {
    const known = this.#ended.get(id)
    if (known !== undefined && known.incarnation >= incarnation) return
    this.#ended.delete(id)
    this.#ended.set(id, { incarnation, how })
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest)
  }

  /**
   * Carries out the duties, if this member's seat leads. Call it after each change of a member, and
   * once a second.
   */
  check(): void {
    const part = this.#part()
    const seat = part?.seat
    if (part === undefined || seat?.isLeader !== true) {
      this.#unknownSince.clear()
      return
    }
    const { term, configuration } = seat.state
    if (term !== this.#term) this.#proposed.clear()
    this.#term = term
    this.#recordEnds(part)
    // At a founding the first leader counts as a present voter. Otherwise it would hand over at
    // once.
    const present = isFounding(configuration) ? [...seatsOf(configuration), seat.seat] : seatsOf(configuration)
    const wanted = chooseVoters(this.#eligible(part), present, this.#most)
    if (wanted.length > 0 && wanted.join() !== seat.state.wanted?.join()) seat.deliver({ type: 'want', seats: wanted })
  }

  #recordEnds({ applied, client }: Participation): void {
    const now = performance.now()
    const present = new Map(this.#port.members().map((member) => [member.id, member]))
    const joined = new Set(applied.fold.members.map(({ id }) => id))
    for (const id of this.#unknownSince.keys()) if (!joined.has(id)) this.#unknownSince.delete(id)
    for (const id of this.#proposed.keys()) if (!joined.has(id)) this.#proposed.delete(id)
    for (const { id, incarnation } of applied.fold.members) {
      const ended = this.#ended.get(id)
      const isEnded = ended !== undefined && ended.incarnation >= incarnation
      const isUnknown = !present.has(id)
      const since = isUnknown ? (this.#unknownSince.get(id) ?? now) : undefined
      if (since === undefined) this.#unknownSince.delete(id)
      else this.#unknownSince.set(id, since)
      if (!isEnded && (since === undefined || now - since < UNKNOWN)) continue
      if (this.#proposed.get(id) === incarnation) continue
      this.#proposed.set(id, incarnation)
      // If another seat leads by now, this member proposes nothing. The new leader proposes the end
      // itself.
      client
        .propose(() => (this.#part()?.isLeader === true ? encode('gone', { id, incarnation, how: ended?.how ?? 'died' }) : undefined))
        .catch(() => {})
    }
  }

  /**
   * The members that may become or stay voters: this member's node knows them, and they state a
   * seat that may vote.
   */
  #eligible({ applied, seats, seat }: Participation): readonly Eligible[] {
    const ranks = new Map(applied.fold.members.map(({ id, incarnation, rank }) => [`${id} ${incarnation}`, rank]))
    return this.#port.members().flatMap((member) => {
      const { id, incarnation, reach } = member
      const stated = seats.of(id)
      if (stated === undefined || !stated.votes) return []
      // A voter whose life has ended in the ledger may be alive: it answers, and joins again.
      const isAlive = this.#hasAnswered(seat, stated.seat) && !this.#hasLeft(member)
      const rank = ranks.get(`${id} ${incarnation}`) ?? (isAlive ? Number.MAX_SAFE_INTEGER : undefined)
      if (rank === undefined) return []
      return [{ seat: stated.seat, isDurable: stated.isDurable, isDirect: reach === 'direct', site: siteOf(member), rank }]
    })
  }

  /** Whether a voter has answered the leader within {@link ANSWERS}. */
  #hasAnswered(leader: SeatHost | undefined, voter: Seat): boolean {
    if (voter === leader?.seat) return true
    const state = leader?.state
    const heardAt = state?.leading?.progress.get(voter)?.heardAt
    if (state === undefined || heardAt === undefined || !hasSeat(state.configuration, voter)) return false
    return performance.now() - heardAt < ANSWERS
  }

  #hasLeft({ id, incarnation }: Life): boolean {
    const ended = this.#ended.get(id)
    return ended?.how === 'left' && ended.incarnation >= incarnation
  }
}
