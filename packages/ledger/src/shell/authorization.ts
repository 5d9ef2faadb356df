import { mayPropose, type ReadStatement } from '../fold/bodies.ts'
import { isAnswer, type LedgerMessage } from '../core/messages.ts'
import type { LedgerState } from '../core/state.ts'
import type { StatedSeats } from './stated-seats.ts'

/**
 * Whether a member may say this. Voters may crash, and are trusted otherwise. Members that state no
 * seat have no say among voters, and nobody speaks for another member.
 */
export function isAuthorized(
  seats: Pick<StatedSeats, 'of'>,
  read: ReadStatement,
  id: string,
  from: string,
  message: LedgerMessage,
): boolean {
  if (message.type === 'propose') return message.entries.every((entry) => mayPropose(id, entry, read))
  return message.type === 'read' || isAnswer(message) || seats.of(id)?.seat === from
}

/** Whether a seat believes this one that entries are committed: its leader alone, and no other. */
export function mayCommit({ role, leader }: Pick<LedgerState, 'role' | 'leader'>, from: string): boolean {
  return role !== 'leader' && from === leader
}
