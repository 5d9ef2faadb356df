import { SEAT, seatOf, type Seat } from '../core/seat.ts'
import { LEDGER_ID } from '../wire/frames.ts'

/** The static attribute in which a member states its seat. So all members know who takes part. */
export const SEAT_CONSTANT = 'jel.ledger'

/** The statement of a member about its part in a ledger. */
export interface SeatStatement {
  readonly ledger: string
  readonly seat: Seat
  /** Whether its store outlives its process. */
  readonly isDurable: boolean
  /** Whether it may be a voter. */
  readonly votes: boolean
}

/** About 70 bytes: all constants of a member have at most 512. */
export function encodeSeat({ ledger, seat, isDurable, votes }: SeatStatement): Uint8Array {
  const words = [ledger, seat.slice(seat.indexOf('/') + 1), `${isDurable ? 'd' : 'm'}${votes ? 'v' : 'r'}`]
  return new TextEncoder().encode(words.join(' '))
}

/** Returns undefined for a member without such a statement, and for an invalid one. */
export function readSeat(member: { readonly id: string; readonly constants: ReadonlyMap<string, Uint8Array> }): SeatStatement | undefined {
  const bytes = member.constants.get(SEAT_CONSTANT)
  if (bytes === undefined) return undefined
  const [ledger = '', nonce = '', flags = ''] = new TextDecoder().decode(bytes).split(' ')
  const isFounder = nonce.startsWith('founder-')
  const seat = seatOf(member.id, isFounder ? nonce.slice('founder-'.length) : nonce, isFounder)
  if (!LEDGER_ID.test(ledger) || !SEAT.test(seat) || !/^[dm][vr]$/u.test(flags)) return undefined
  return { ledger, seat, isDurable: flags.startsWith('d'), votes: flags.endsWith('v') }
}
