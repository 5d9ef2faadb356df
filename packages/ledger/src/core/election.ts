import { hasSeat, isFounding, isQuorum, seatsOf } from './configuration.ts'
import { ELECTION, TURN } from './ledger-io.ts'
import type { RaftMessage } from './messages.ts'
import { idOf, type Seat } from './seat.ts'
import type { LedgerState } from './state.ts'

type Vote = Extract<RaftMessage, { type: 'vote' | 'preVote' }>
type Grant = Extract<RaftMessage, { type: 'voted' | 'preVoted' }>

/**
 * Whether this seat may stand. A seat of the configuration before one that is not known to be
 * committed may stand too. Otherwise a change of voters can end in a deadlock: the old voters have
 * the new configuration and do not stand, and the logs of the new ones are too short.
 *
 * The first voters of a closed pool stand only when they see more than half of it.
 */
function mayStand(state: LedgerState): boolean {
  const { configurations, configuration, seat, seen } = state
  if (!configurations.some((each) => hasSeat(each, seat))) return false
  return !isFounding(configuration) || isQuorum(configuration, [seat, ...seen, ...seatsOf(configuration)])
}

/** The seats that count in the latest configuration, as far as this seat knows them. */
function askedBy({ configuration, seen, seat }: LedgerState): readonly Seat[] {
  const known = isFounding(configuration) ? [...seatsOf(configuration), ...seen] : seatsOf(configuration)
  return [...new Set(known)].filter((each) => each !== seat && hasSeat(configuration, each))
}

/** Begins. A voter that needs nobody else waits for nobody. */
export function begin(state: LedgerState): void {
  state.awaitLeader()
  if (isQuorum(state.configuration, [state.seat])) state.timers.set('stand', state.now)
}

/**
 * Founders by ids or by a number stand as soon as they see enough of them, in the order of their
 * seats.
 */
export function onSeen(state: LedgerState): void {
  const { configuration, leader, role, log } = state
  if (!isFounding(configuration) || leader !== undefined || role !== 'follower' || log.lastIndex > 0 || !mayStand(state)) return
  const { turns } = state
  // It waits anew for founders that it has not waited for: a seat may come and go.
  if (turns > state.longestTurns) state.timers.set('stand', state.now + turns + TURN)
  else state.timers.advance('stand', state.now + turns + TURN)
  state.longestTurns = Math.max(turns, state.longestTurns)
}

/** Asks whether it could win, without a change of terms (dissertation §9.6). */
export function startPreVote(state: LedgerState): void {
  if (!mayStand(state)) {
    state.awaitLeader()
    return
  }
  ask(state, 'preCandidate')
  const { lastIndex, lastTerm } = state.log
  for (const seat of askedBy(state)) state.send(seat, { type: 'preVote', term: state.term + 1, lastIndex, lastTerm })
}

/** Stands in the next term. The vote for itself is synced before anybody hears of it. */
export function stand(state: LedgerState): void {
  if (!mayStand(state)) return
  ask(state, 'candidate')
  state.ownVote = state.enter(state.term + 1, state.seat)
  const { lastIndex, lastTerm } = state.log
  for (const seat of askedBy(state)) state.send(seat, { type: 'vote', term: state.term, lastIndex, lastTerm }, state.ownVote)
}

function ask(state: LedgerState, role: 'preCandidate' | 'candidate'): void {
  // At a founding late grants of a PreVote count: it asks for the same term once more.
  const isAgain = role === 'preCandidate' && state.role === role && isFounding(state.configuration)
  const grants = isAgain ? [...state.grants] : []
  state.follow()
  for (const each of grants) state.grants.add(each)
  state.role = role
  state.retrySoon()
}

/** Whether the grants are a quorum of each group in force. */
export function hasWon(state: LedgerState): boolean {
  const { role, grants, seat, synced, ownVote } = state
  if (role !== 'preCandidate' && role !== 'candidate') return false
  const counts = role === 'preCandidate' || synced >= ownVote
  return isQuorum(state.configuration, counts ? [...grants, seat] : grants)
}

/** Grants a PreVote if it would vote, and has not heard a leader for an election time-out. */
export function onPreVote(state: LedgerState, from: Seat, { term, lastIndex, lastTerm }: Vote): void {
  const isLed = state.role === 'leader' || state.now - state.heardAt < ELECTION
  const ok = term > state.term && !isLed && state.log.isCurrent(lastIndex, lastTerm)
  // At a founding all see each other at once. The first one to ask should win.
  if (ok && isFounding(state.configuration) && state.role === 'follower') state.awaitLeader()
  state.send(from, { type: 'preVoted', term: ok ? term : state.term, ok })
}

/**
 * Votes once a term, for a log that is at least as recent (Raft §5.2, §5.4.1). The voter does not
 * look at its own configuration: the asker's may be newer. The vote is synced before it is told.
 */
export function onVote(state: LedgerState, from: Seat, { term, lastIndex, lastTerm }: Vote): void {
  const isFree = state.votedFor === undefined || state.votedFor === from
  const ok = term === state.term && isFree && state.log.isCurrent(lastIndex, lastTerm)
  if (ok) {
    if (state.votedFor === undefined) state.enter(term, from)
    state.awaitLeader()
  }
  state.send(from, { type: 'voted', term: state.term, ok }, ok ? state.written : 0)
}

/**
 * Counts a grant. Grants of older terms do not come here. The term of a PreVote is the next one.
 */
export function onGrant(state: LedgerState, from: Seat, { type, term, ok }: Grant): void {
  const isAsked = type === 'voted' ? state.role === 'candidate' : state.role === 'preCandidate' && term === state.term + 1
  if (isAsked && ok) state.grants.add(from)
  if (!ok && state.role === 'preCandidate') state.grants.delete(from)
}

/**
 * The leader is gone, or its connection is broken. Each voter leaves some time to those before it,
 * in the order of the configuration. So two of them seldom stand at once.
 */
export function onLost(state: LedgerState, id: string): void {
  if (state.leader === undefined || state.role === 'leader' || idOf(state.leader) !== id) return
  state.setLeader(undefined)
  state.heardAt = -Infinity
  const turn = seatsOf(state.configuration)
    .filter((seat) => idOf(seat) !== id)
    .indexOf(state.seat)
  state.timers.advance('stand', state.now + state.turns + TURN * Math.max(0, turn))
}
