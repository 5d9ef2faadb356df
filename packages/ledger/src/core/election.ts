import { hasSeat, isFounding, isQuorum, seatsOf } from './configuration.ts'
import { ELECTION, TURN } from './ledger-io.ts'
import type { RaftMessage } from './messages.ts'
import { idOf, type Seat } from './seat.ts'
import type { LedgerState } from './state.ts'

type Vote = Extract<RaftMessage, { type: 'vote' | 'preVote' }>
type Grant = Extract<RaftMessage, { type: 'voted' | 'preVoted' }>

/**
 * Whether this seat may stand in an election of the leader. While the latest configuration is not
 * known to be committed, a seat of the configuration before may stand, too. Without this rule a
 * change of voters can end in a deadlock: the old voters have the new configuration and do not
 * stand, and the logs of the new voters are too short to win.
 *
 * At a founding by ids or by a number, a founder stands only when it sees a quorum of founders.
 */
function mayStand(state: LedgerState): boolean {
  const { configurations, configuration, seat, seen } = state
  if (!configurations.some((each) => hasSeat(each, seat))) return false
  return !isFounding(configuration) || isQuorum(configuration, [seat, ...seen, ...seatsOf(configuration)])
}

/** The other seats that count in the latest configuration, as far as this seat knows them. */
function askedBy({ configuration, seen, seat }: LedgerState): readonly Seat[] {
  const known = isFounding(configuration) ? [...seatsOf(configuration), ...seen] : seatsOf(configuration)
  return [...new Set(known)].filter((each) => each !== seat && hasSeat(configuration, each))
}

/** Begins to wait for a leader. A voter that is a quorum by itself stands at once. */
export function begin(state: LedgerState): void {
  state.awaitLeader()
  if (isQuorum(state.configuration, [state.seat])) state.timers.set('stand', state.now)
}

/**
 * Sets the turn of a founder by ids or by a number, once it sees a quorum of founders. Founders
 * stand in the order of their seats.
 */
export function onSeen(state: LedgerState): void {
  const { configuration, leader, role, log } = state
  if (!isFounding(configuration) || leader !== undefined || role !== 'follower' || log.lastIndex > 0 || !mayStand(state)) return
  const { turns } = state
  // Only a wait that is longer than all earlier waits restarts the timer. Otherwise a seat that
  // comes and goes could delay this one for ever.
  if (turns > state.longestTurns) state.timers.set('stand', state.now + turns + TURN)
  else state.timers.advance('stand', state.now + turns + TURN)
  state.longestTurns = Math.max(turns, state.longestTurns)
}

/** Asks the voters whether this seat could win, without a new term (dissertation §9.6). */
export function startPreVote(state: LedgerState): void {
  if (!mayStand(state)) {
    state.awaitLeader()
    return
  }
  ask(state, 'preCandidate')
  const { lastIndex, lastTerm } = state.log
  for (const seat of askedBy(state)) state.send(seat, { type: 'preVote', term: state.term + 1, lastIndex, lastTerm })
}

/**
 * Stands in the next term. The vote of this seat for itself is synced before the requests leave.
 */
export function stand(state: LedgerState): void {
  if (!mayStand(state)) return
  ask(state, 'candidate')
  state.ownVote = state.enter(state.term + 1, state.seat)
  const { lastIndex, lastTerm } = state.log
  for (const seat of askedBy(state)) state.send(seat, { type: 'vote', term: state.term, lastIndex, lastTerm }, state.ownVote)
}

function ask(state: LedgerState, role: 'preCandidate' | 'candidate'): void {
  // A repeated PreVote asks for the same term. So at a founding its former grants still count.
  const isAgain = role === 'preCandidate' && state.role === role && isFounding(state.configuration)
  const grants = isAgain ? [...state.grants] : []
  state.follow()
  for (const each of grants) state.grants.add(each)
  state.role = role
  state.retrySoon()
}

/**
 * Whether the grants, together with this seat, are a quorum of each group in force. The vote of a
 * candidate for itself counts once it is synced.
 */
export function hasWon(state: LedgerState): boolean {
  const { role, grants, seat, synced, ownVote } = state
  if (role !== 'preCandidate' && role !== 'candidate') return false
  const counts = role === 'preCandidate' || synced >= ownVote
  return isQuorum(state.configuration, counts ? [...grants, seat] : grants)
}

/**
 * Grants a PreVote if this seat could vote for the asker, and has heard no leader for an election
 * time-out.
 */
export function onPreVote(state: LedgerState, from: Seat, { term, lastIndex, lastTerm }: Vote): void {
  const isLed = state.role === 'leader' || state.now - state.heardAt < ELECTION
  const ok = term > state.term && !isLed && state.log.isCurrent(lastIndex, lastTerm)
  // At a founding all founders see each other at once. This one gives the first asker time to win.
  if (ok && isFounding(state.configuration) && state.role === 'follower') state.awaitLeader()
  state.send(from, { type: 'preVoted', term: ok ? term : state.term, ok })
}

/**
 * Votes once in a term, for a seat whose log is at least as recent as its own (Raft §5.2, §5.4.1).
 * It does not check that the asker is a voter of its own configuration: the asker's may be newer.
 * The answer leaves when the vote is synced.
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
 * Counts a grant. A refusal of a PreVote removes a former grant. Answers of older terms do not
 * reach this function. The answer to a PreVote names the next term.
 */
export function onGrant(state: LedgerState, from: Seat, { type, term, ok }: Grant): void {
  const isAsked = type === 'voted' ? state.role === 'candidate' : state.role === 'preCandidate' && term === state.term + 1
  if (isAsked && ok) state.grants.add(from)
  if (!ok && state.role === 'preCandidate') state.grants.delete(from)
}

/**
 * A member has ended, or its connection is broken. If it led, each voter stands a {@link TURN}
 * later than the one before it in the configuration. So two voters seldom stand at once.
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
