import { hasSeat, isFounding, isQuorum, seatsOf, sizeOf } from './configuration.ts'
import { BEGIN, chain } from './entry.ts'
import { HEARTBEAT, QUORUM } from './ledger-io.ts'
import { Leading, Progress } from './leading.ts'
import { MAX_PAGE, MAX_PART, type Proposal, type RaftMessage } from './messages.ts'
import type { Seat } from './seat.ts'
import type { LedgerState } from './state.ts'

/** The most unanswered pages that the leader sends to one seat. A guess. */
const WINDOW = 8

/** Becomes the leader, and appends the first entry of its term (Raft §5.4.2, §8). */
export function lead(state: LedgerState): void {
  const { log, seat } = state
  state.grants.clear()
  state.role = 'leader'
  // Its vote for itself was the last write, and writes are synced in order. So its whole log is
  // synced.
  state.leading = new Leading(log.lastIndex)
  state.setLeader(seat)
  state.timers.set('stand', Infinity)
  state.timers.set('heartbeat', state.now + HEARTBEAT)
  const size = log.lastIndex === 0 ? sizeOf(state.configuration) : undefined
  append(state, [{ kind: BEGIN, body: new TextEncoder().encode(size === undefined ? '' : JSON.stringify({ size })) }])
}

/** Appends entries to the leader's own log. */
export function append(state: LedgerState, proposals: readonly Proposal[]): void {
  const { log, term, leading, options } = state
  if (leading === undefined) return
  const first = log.lastIndex + 1
  const entries = chain(
    options.digest,
    log.lastHash,
    proposals.map((proposal) => ({ ...proposal, term })),
  )
  log.append(entries)
  const number = state.write({ type: 'entries', first, entries })
  leading.unsynced = [...leading.unsynced, { number, index: log.lastIndex }]
}

/** The leader counts its own copy of an entry only when the copy is synced. */
export function onWritten({ leading, synced }: LedgerState): void {
  if (leading === undefined) return
  for (const { number, index } of leading.unsynced) if (number <= synced) leading.match = index
  leading.unsynced = leading.unsynced.filter(({ number }) => number > synced)
}

/**
 * Commits the entries that a quorum has. The leader counts only the copies of an entry of its own
 * term. The commit of this entry commits all entries before it, too (Raft §5.4.2, figure 8).
 */
export function advanceCommit(state: LedgerState): void {
  const { log, term, leading, seat } = state
  if (leading === undefined) return
  const matches: (readonly [Seat, number])[] = [
    [seat, leading.match],
    ...[...leading.progress].map(([each, { match }]) => [each, match] as const),
  ]
  for (const [, index] of matches.toSorted(([, one], [, other]) => other - one)) {
    if (index <= state.commit) return
    const having = matches.filter(([, match]) => match >= index).map(([each]) => each)
    if (log.termAt(index) === term && isQuorum(state.configuration, having)) {
      state.commit = index
      return
    }
  }
}

/**
 * The seats to which the leader sends entries: voters, learners, and at a founding all seats that
 * it sees.
 */
function targetsOf(state: LedgerState): ReadonlySet<Seat> {
  const { configurations, wanted = [], seen, seat } = state
  const targets = new Set([...configurations.flatMap(seatsOf), ...wanted])
  for (const each of configurations) if (isFounding(each)) for (const other of seen) targets.add(other)
  targets.delete(seat)
  return targets
}

/**
 * Sends each target the pages that it lacks.
 *
 * A seat that is no target any more gets one last page. A new target gets a page at once. All
 * targets get pages until they have all entries, or until too many pages are unanswered: one while
 * the leader probes for the last entry that both logs have, otherwise {@link WINDOW}.
 */
export function pump(state: LedgerState): void {
  const { leading, log } = state
  if (leading === undefined) return
  const targets = targetsOf(state)
  for (const [seat, progress] of leading.progress) {
    if (targets.has(seat)) continue
    // By this page a removed voter learns of its removal.
    sendPage(state, seat, progress)
    leading.progress.delete(seat)
  }
  for (const seat of targets) {
    const known = leading.progress.get(seat)
    const progress = known ?? new Progress(log.lastIndex + 1, state.now)
    if (known === undefined) {
      leading.progress.set(seat, progress)
      // When this term began, no other seat had its entries. So the leader begins with the first
      // entry of the term. If the target lacks earlier ones, its answer moves `next` back.
      while (progress.next > 1 && log.termAt(progress.next - 1) === state.term) progress.next -= 1
      sendPage(state, seat, progress)
    }
    while (progress.sending === undefined && progress.next <= log.lastIndex && progress.flights < (progress.isProbing ? 1 : WINDOW))
      sendPage(state, seat, progress)
  }
}

/**
 * Sends the next page, which may be empty. If a snapshot has replaced the entries of the page,
 * sends a part of the snapshot.
 */
function sendPage(state: LedgerState, seat: Seat, progress: Progress, page = state.options.page ?? MAX_PAGE): void {
  const { log, term, commit, leading } = state
  if (progress.sending !== undefined || progress.next <= log.snapshot.index) {
    sendPart(state, seat, progress)
    return
  }
  const prevIndex = progress.next - 1
  const entries = log.slice(progress.next, log.lastIndex, page).map(({ term: of, kind, body }) => ({ term: of, kind, body }))
  const [prevTerm, prevHash] = [log.termAt(prevIndex) ?? 0, log.hashAt(prevIndex) ?? '']
  progress.next += entries.length
  if (entries.length > 0) progress.flights += 1
  state.send(seat, { type: 'append', term, prevIndex, prevTerm, prevHash, entries, commit, round: leading?.round ?? 0 })
}

function sendPart(state: LedgerState, seat: Seat, progress: Progress): void {
  progress.sending ??= { snapshot: state.log.snapshot, offset: 0 }
  const { snapshot, offset } = progress.sending
  const { index, term: lastTerm, hash, configuration, state: all } = snapshot
  const bytes = all.subarray(offset, offset + (state.options.part ?? MAX_PART))
  state.send(seat, { type: 'snapshot', term: state.term, index, lastTerm, hash, configuration, offset, size: all.length, bytes })
}

/** A seat has appended a page, or reports that its log differs from the leader's (Raft §5.3). */
export function onAppended(state: LedgerState, from: Seat, { ok, index, round }: Extract<RaftMessage, { type: 'appended' }>): void {
  const progress = state.leading?.progress.get(from)
  if (progress === undefined || index > state.log.lastIndex) return
  answered(state, progress)
  progress.round = Math.max(progress.round, round)
  if (ok) {
    progress.match = Math.max(progress.match, index)
    progress.next = Math.max(progress.next, progress.match + 1)
    progress.flights = Math.max(0, progress.flights - 1)
    progress.isProbing = false
  } else if (index >= progress.match) {
    progress.next = index + 1
    progress.flights = 0
    progress.isProbing = true
    sendPage(state, from, progress)
  }
  if (progress.sending !== undefined && progress.match >= progress.sending.snapshot.index) progress.sending = undefined
}

/** A part of a snapshot has arrived. */
export function onPart(state: LedgerState, from: Seat, { index, offset }: Extract<RaftMessage, { type: 'part' }>): void {
  const progress = state.leading?.progress.get(from)
  if (progress?.sending?.snapshot.index !== index || offset <= progress.sending.offset) return
  answered(state, progress)
  progress.sending = { ...progress.sending, offset }
  sendPart(state, from, progress)
}

function answered({ now }: LedgerState, progress: Progress): void {
  progress.heardAt = now
  progress.hasAnswered = true
}

/**
 * Steps down if no quorum has answered within {@link QUORUM}. Otherwise sends a message to each
 * seat.
 *
 * A seat that has answered since the last heartbeat gets the next page, which may be empty. A
 * silent seat may have restarted, or messages may be lost. So the leader begins again after the
 * last entry that the seat is known to have. It sends only one empty page, or one part of a
 * snapshot, at each heartbeat until the seat answers.
 */
export function heartbeat(state: LedgerState): void {
  const { leading, now, seat } = state
  if (leading === undefined) return
  const heard = [...leading.progress].filter(([, { heardAt }]) => now - heardAt <= QUORUM).map(([each]) => each)
  if (!isQuorum(state.configuration, [...heard, seat])) {
    state.effects.push({ type: 'noMajority' })
    state.follow()
    return
  }
  leading.committed = state.commit
  for (const [to, progress] of leading.progress) {
    if (progress.hasAnswered) sendPage(state, to, progress)
    else {
      progress.next = progress.match + 1
      progress.flights = 1
      progress.isProbing = true
      // A seat that restarted has lost the parts, so the leader begins again with the first one. If
      // the seat still has them, its answer names the number of their bytes, and the leader goes on
      // from there.
      if (progress.sending !== undefined) progress.sending = { ...progress.sending, offset: 0 }
      // The page is empty (0 entries). A slow seat may have received the entries already, and to
      // repeat them each second would slow it down more.
      sendPage(state, to, progress, 0)
    }
    progress.hasAnswered = false
  }
  state.timers.set('heartbeat', now + HEARTBEAT)
}

/** Sends one page to each seat, with the commit and the round. */
export function broadcast(state: LedgerState): void {
  for (const [seat, progress] of state.leading?.progress ?? []) sendPage(state, seat, progress)
}

/** Steps down. The voter with the longest matching log stands at once (dissertation §3.10). */
export function handOver(state: LedgerState): void {
  const { leading, term, configuration } = state
  if (leading === undefined) return
  broadcast(state)
  const voters = [...leading.progress].filter(([seat]) => hasSeat(configuration, seat))
  const [best] = voters.toSorted(([, one], [, other]) => other.match - one.match)
  if (best !== undefined) state.send(best[0], { type: 'timeoutNow', term })
  state.follow()
}
