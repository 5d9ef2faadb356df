import { encodeConfiguration, hasSeat, isGroupOf, type Group } from './configuration.ts'
import { VOTERS } from './entry.ts'
import { append, handOver } from './replication.ts'
import type { LedgerState } from './state.ts'

/**
 * Changes the voters by joint consensus (Raft §6; dissertation §4.3). The leader first sends its
 * log to the new voters. Then it appends a configuration of both groups. When this configuration is
 * committed, the leader appends the new group alone. A leader that finds two groups in its log
 * finishes their change by the same rule. A founding by ids or by a number ends with such a change.
 *
 * The leader waits until an entry of its term and the last change are committed. So at most one
 * configuration of a log is not committed, and {@link mayStand} looks only one configuration back.
 */
export function settleChanges(state: LedgerState): void {
  const { log, commit, term, wanted, seat } = state
  const { index, configuration } = log.latest
  if (state.leading === undefined || log.termAt(commit) !== term || index > commit) return
  const [first, second] = configuration.groups
  if (first === undefined) return
  if (second !== undefined) change(state, [second])
  else if (wanted !== undefined && wanted.length > 0 && !isGroupOf(first, wanted)) {
    if (areFed(state, wanted)) change(state, [first, { seats: [...new Set(wanted)] }])
  } else if (!hasSeat(configuration, seat)) handOver(state)
}

function change(state: LedgerState, groups: readonly Group[]): void {
  append(state, [{ kind: VOTERS, body: encodeConfiguration({ groups: [...groups] }) }])
}

/**
 * Whether each of these seats has all entries that were committed at the last heartbeat
 * (dissertation §4.2.1).
 */
function areFed({ leading, seat }: LedgerState, seats: readonly string[]): boolean {
  return seats.every((each) => each === seat || (leading?.progress.get(each)?.match ?? -1) >= (leading?.committed ?? Infinity))
}
