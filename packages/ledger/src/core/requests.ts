import { equals } from 'uint8arrays'
import { isQuorum } from './configuration.ts'
import { BEGIN, VOTERS } from './entry.ts'
import type { Waiting } from './leading.ts'
import { MAX_BODY, MAX_PROPOSAL, type Proposal, type Request } from './messages.ts'
import { append, broadcast } from './replication.ts'
import { idOf } from './seat.ts'
import { redirection, type LedgerState } from './state.ts'

/**
 * The most requests that wait at a leader. It refuses further ones, so that their members slow
 * down.
 */
const MAX_WAITING = 256

/** The most waiting requests of one member. A member sends at most four at once. */
const MAX_OF_ONE = 8

/** A member proposes entries, or asks for the index of a read. */
export function onRequest(state: LedgerState, from: string, request: Request): void {
  const { leading, leader, log } = state
  const { type, number } = request
  if (leading === undefined) {
    state.send(from, redirection(number, leader))
    return
  }
  const ofOne = leading.requests.filter((waiting) => idOf(waiting.from) === idOf(from)).length
  if (leading.requests.length >= MAX_WAITING || ofOne >= MAX_OF_ONE) {
    state.send(from, { type: 'refused', number, reason: 'busy' })
    return
  }
  if (type === 'propose') {
    if (!areValid(request)) {
      state.send(from, { type: 'refused', number, reason: 'invalid' })
      return
    }
    const unsettled = log.slice(state.commit + 1, log.lastIndex)
    const fresh = request.entries.filter((entry) => !unsettled.some((other) => isSame(entry, other)))
    // A member without an answer repeats its proposal. While the leader is slow, this must not add
    // work.
    if (fresh.length > 0) append(state, fresh)
    leading.requests = [...leading.requests, { type, from, number, index: log.lastIndex, round: 0 }]
  } else {
    leading.round += 1
    // All entries that earlier leaders committed are before the first entry of this term (Raft §8).
    const index = Math.max(state.commit, firstOfTerm(state))
    leading.requests = [...leading.requests, { type, from, number, index, round: leading.round }]
    broadcast(state)
  }
}

function areValid({ entries }: Extract<Request, { type: 'propose' }>): boolean {
  if (entries.length === 0 || entries.length > MAX_PROPOSAL) return false
  return entries.every(({ kind, body }) => kind !== BEGIN && kind !== VOTERS && body.length <= MAX_BODY)
}

function isSame(one: Proposal, other: Proposal): boolean {
  return one.kind === other.kind && equals(one.body, other.body)
}

function firstOfTerm({ log, term, commit }: LedgerState): number {
  let first = log.lastIndex
  while (first > commit && log.termAt(first - 1) === term) first -= 1
  return first
}

/**
 * Answers reads, and proposals that are committed. The index of a read must be committed, and a
 * quorum must have answered messages that were sent after the request came. Then this seat still
 * led when the request came (dissertation §6.4).
 */
export function answerRequests(state: LedgerState): void {
  const { leading, commit, configuration, seat } = state
  if (leading === undefined || leading.requests.length === 0) return
  const hasRound = (round: number): boolean =>
    isQuorum(configuration, [seat, ...[...leading.progress].filter(([, progress]) => progress.round >= round).map(([each]) => each)])
  const isReady = ({ index, round, type }: Waiting): boolean => index <= commit && (type === 'propose' || hasRound(round))
  const ready = leading.requests.filter(isReady)
  if (ready.length === 0) return
  leading.requests = leading.requests.filter((waiting) => !ready.includes(waiting))
  for (const { type, from, number, index } of ready) state.send(from, { type: type === 'propose' ? 'proposed' : 'readAt', number, index })
}
