import { mayPropose, type ReadStatement } from '../fold/bodies.ts'
import { isAnswer } from '../core/messages.ts'
import type { Envelope } from '../wire/frames.ts'
import type { StatedSeats } from './stated-seats.ts'

/**
 * Whether a member may say this. Voters may crash, and are trusted otherwise. Members that state no
 * seat have no say among voters, and nobody speaks for another member.
 */
export function isAuthorized(
  seats: Pick<StatedSeats, 'of'>,
  read: ReadStatement,
  id: string,
  { from, message }: Extract<Envelope, { readonly type: 'message' }>,
): boolean {
  if (message.type === 'propose') return from === id && message.entries.every((entry) => mayPropose(id, entry, read))
  if (message.type === 'read') return from === id
  return isAnswer(message) || seats.of(id)?.seat === from
}
