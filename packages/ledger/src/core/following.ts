import { concat } from 'uint8arrays'
import { chain } from './entry.ts'
import type { Snapshot } from './log.ts'
import type { RaftMessage } from './messages.ts'
import type { Seat } from './seat.ts'
import type { LedgerState } from './state.ts'

type Append = Extract<RaftMessage, { type: 'append' }>
type Part = Extract<RaftMessage, { type: 'snapshot' }>

/**
 * Notes a message of the leader of this term. Returns false if the term has two leaders. Raft
 * excludes such a fork, so the seat stops.
 */
function hear(state: LedgerState, from: Seat): boolean {
  if (state.role === 'leader' || (state.leader !== undefined && state.leader !== from)) {
    state.stop('LEDGER_FORK')
    return false
  }
  if (state.role !== 'follower') state.follow(from)
  state.setLeader(from)
  state.heardAt = state.now
  state.awaitLeader()
  return true
}

/** Appends the entries of a leader. The answer leaves when they are synced. */
export function onAppend(state: LedgerState, from: Seat, message: Append): void {
  if (!hear(state, from)) return
  const { term, commit, round } = message
  const end = take(state, message)
  if (end === 'fork') state.stop('LEDGER_FORK')
  else if ('hint' in end) state.send(from, { type: 'appended', term, ok: false, index: end.hint, round })
  else {
    state.commit = Math.max(state.commit, Math.min(commit, end.match))
    state.send(from, { type: 'appended', term, ok: true, index: end.match, round }, state.written)
  }
}

/**
 * Appends entries (Raft §5.3). This seat removes its own entries only from the first one with
 * another term on. It never removes a committed entry. A difference that Raft excludes is a fork.
 *
 * @returns the index of the last matching entry, or as a hint the last index at which the logs may
 *   match
 */
function take(state: LedgerState, message: Append): { readonly match: number } | { readonly hint: number } | 'fork' {
  const { log, options } = state
  const { prevIndex, prevTerm, prevHash } = message
  if (prevIndex > log.lastIndex) return { hint: log.lastIndex }
  const found = log.termAt(prevIndex)
  // The snapshot has replaced this entry, which is committed. So the leader continues after it.
  if (found === undefined) return { hint: log.snapshot.index }
  if (found !== prevTerm) return prevIndex <= state.commit ? 'fork' : { hint: conflictOf(state, prevIndex) }
  if (log.hashAt(prevIndex) !== prevHash) return 'fork'
  const entries = chain(options.digest, prevHash, message.entries)
  const differing = entries.findIndex((entry, at) => log.at(prevIndex + 1 + at)?.hash !== entry.hash)
  if (differing !== -1) {
    const first = prevIndex + 1 + differing
    // One term has one leader, and a leader appends one entry at an index.
    if (first <= state.commit || log.termAt(first) === entries[differing]?.term) return 'fork'
    const added = entries.slice(differing)
    log.cut(first)
    log.append(added)
    state.write({ type: 'entries', first, entries: added })
  }
  return { match: prevIndex + entries.length }
}

/** Returns the index before the entries of the differing term. So one hint skips a whole term. */
function conflictOf({ log, commit }: LedgerState, index: number): number {
  const term = log.termAt(index)
  let at = index
  while (at > commit && log.termAt(at) === term) at -= 1
  return at
}

/**
 * Receives one part of a snapshot (Raft §7). After its last part the snapshot replaces the entries.
 */
export function onSnapshot(state: LedgerState, from: Seat, message: Part): void {
  if (!hear(state, from)) return
  const { term, index, hash, size } = message
  const own = state.log.hashAt(index)
  if (index <= state.commit && own !== undefined && own !== hash) {
    state.stop('LEDGER_FORK')
    return
  }
  if (index > state.commit) {
    const received = takePart(state, from, message)
    if (received !== size) {
      state.send(from, { type: 'part', term, index, offset: received })
      return
    }
    const bytes = concat([...(state.incoming?.parts ?? [])], size)
    state.incoming = undefined
    install(state, { index, term: message.lastTerm, hash, configuration: message.configuration, state: bytes })
  }
  state.send(from, { type: 'appended', term, ok: true, index, round: 0 }, state.written)
}

/** Returns the number of bytes that have arrived. Drops a part that does not continue them. */
function takePart(state: LedgerState, from: Seat, { hash, offset, size, bytes }: Part): number {
  const known = state.incoming?.hash === hash && state.incoming.from === from ? state.incoming : undefined
  const { parts, received } = known ?? { parts: [], received: 0 }
  const isNext = offset === received && received + bytes.length <= size
  state.incoming = isNext ? { from, hash, parts: [...parts, bytes], received: received + bytes.length } : { from, hash, parts, received }
  return state.incoming.received
}

/** Replaces the entries up to the index of a committed snapshot. */
export function install(state: LedgerState, snapshot: Snapshot): void {
  state.log.install(snapshot)
  state.write({ type: 'snapshot', snapshot })
  state.commit = snapshot.index
  state.told = snapshot.index
  state.effects.push({ type: 'installed', snapshot })
}

/**
 * Commits the entries that the leader has committed. Equal hashes prove that they are the same
 * entries.
 */
export function onTip(state: LedgerState, index: number, hash: string): void {
  if (index > state.commit && state.log.hashAt(index) === hash) state.commit = index
}
