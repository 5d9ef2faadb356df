import { mayPropose, type ReadStatement } from '../fold/bodies.ts'
import { isAnswer, type LedgerMessage } from '../core/messages.ts'
import type { LedgerState } from '../core/state.ts'
import type { StatedSeats } from './stated-seats.ts'

/**
 * Whether a member may send this message. It may propose only entries about itself. Each member may
 * send reads and answers. Messages of Raft come only from the seat that the member states. Voters
 * may crash, and are trusted otherwise.
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

/**
 * Whether a seat believes this sender when it reports committed entries. It believes only its
 * leader.
 */
export function mayCommit({ role, leader }: Pick<LedgerState, 'role' | 'leader'>, from: string): boolean {
  return role !== 'leader' && from === leader
}
