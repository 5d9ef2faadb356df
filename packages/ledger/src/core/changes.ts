import { encodeConfiguration, hasSeat, isGroupOf, type Group } from './configuration.ts'
import { VOTERS } from './entry.ts'
import { append, handOver } from './replication.ts'
import type { LedgerState } from './state.ts'

/**
 * Changes the voters by joint consensus (Raft §6; dissertation §4.3). The leader feeds the new ones
 * first. Then it appends both groups. When both have committed that, it appends the new group
 * alone. A leader that finds two groups in its log finishes the change by the same rule. The
 * founding by ids or by a number is such a change.
 *
 * It waits until an entry of its term is committed, and until the last change is settled. So no log
 * has two configurations that are not committed, and {@link mayStand} looks only one step back.
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
 * Whether all these seats have all that was committed at the last heartbeat (dissertation §4.2.1).
 */
function areFed({ leading, seat }: LedgerState, seats: readonly string[]): boolean {
  return seats.every((each) => each === seat || (leading?.progress.get(each)?.match ?? -1) >= (leading?.committed ?? Infinity))
}
