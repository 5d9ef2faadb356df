import type { Machine, Milliseconds, TimerEffect, TimerInput } from '@jel/machine'
import { settleChanges } from './changes.ts'
import { begin, hasWon, onGrant, onLost, onPreVote, onSeen, onVote, stand, startPreVote } from './election.ts'
import { install, onAppend, onSnapshot, onTip } from './following.ts'
import type { LedgerEffect, LedgerInput, LedgerOptions } from './ledger-io.ts'
import { MAX_TERM, isRequest, type LedgerMessage, type RaftMessage } from './messages.ts'
import { advanceCommit, handOver, heartbeat, lead, onAppended, onPart, onWritten, pump } from './replication.ts'
import { answerRequests, onRequest } from './requests.ts'
import type { Seat } from './seat.ts'
import { LedgerState } from './state.ts'
import type { Durable } from './store.ts'

/**
 * Messages whose term is further ahead than this are dropped. So nobody can use up the terms at
 * once. A guess.
 */
const MAX_JUMP = 1_000_000

/**
 * One seat of a ledger: Raft with joint consensus, PreVote and CheckQuorum. Its writes are
 * asynchronous. A message that makes a promise leaves when the promise is synced.
 */
export class Ledger implements Machine<LedgerInput, LedgerEffect> {
  readonly state: LedgerState

  constructor(options: LedgerOptions, stored: Durable | LedgerState) {
    this.state = stored instanceof LedgerState ? stored : new LedgerState(options, stored)
  }

  handle(input: LedgerInput | TimerInput, now: Milliseconds): readonly (LedgerEffect | TimerEffect)[] {
    const { state } = this
    state.now = now
    state.effects = []
    if (state.role === 'stopped') return []
    if (state.timers.next === Infinity) begin(state)
    this.#take(input)
    this.#settle()
    state.effects.push({ type: 'timer', at: state.timers.next })
    return state.effects
  }

  #take(input: LedgerInput | TimerInput): void {
    const { state } = this
    switch (input.type) {
      case 'message':
        if (input.ledger === state.ledger && input.to === state.seat) this.#message(input.from, input.message)
        return
      case 'written':
        state.synced = Math.min(Math.max(state.synced, input.number), state.written)
        onWritten(state)
        return
      case 'writeFailed':
        handOver(state)
        state.stop('LEDGER_WRITE_FAILED')
        return
      case 'seen':
        state.seen = input.seats
        onSeen(state)
        return
      case 'lost':
        onLost(state, input.id)
        return
      case 'want':
        state.wanted = input.seats
        return
      case 'tip':
        onTip(state, input.index, input.hash)
        return
      case 'compact':
        this.#compact(input.index, input.state)
        return
      case 'install':
        if (input.snapshot.index > state.commit && state.role === 'follower') install(state, input.snapshot)
        return
      case 'resign':
        handOver(state)
        state.stop('resigned')
        return
      case 'timer':
        state.timers.fire(state.now, (name) => (name === 'heartbeat' ? heartbeat(state) : startPreVote(state)))
        return
    }
  }

  #message(from: string, message: LedgerMessage): void {
    const { state } = this
    if (isRequest(message)) onRequest(state, from, message)
    if (!('term' in message) || message.term > Math.min(MAX_TERM, state.term + MAX_JUMP)) return
    // A PreVote and its grant name a term in which nobody stands yet.
    const isPreVote = message.type === 'preVote' || (message.type === 'preVoted' && message.ok)
    if (message.term > state.term && !isPreVote) {
      const wasActive = state.role !== 'follower'
      state.enter(message.term)
      state.follow()
      // The higher term may come from a seat that can't win, and this seat may be the only one that
      // can. So it does not wait for a whole time-out again.
      if (wasActive) state.retrySoon()
    }
    if (message.term < state.term && message.type !== 'preVote') this.#refuse(from, message)
    else dispatch(state, from, message)
  }

  /** Tells the present term to the sender of a message of an old term (Raft §5.1). */
  #refuse(from: string, { type }: RaftMessage): void {
    const { state } = this
    const { term } = state
    if (type === 'vote') state.send(from, { type: 'voted', term, ok: false })
    if (type === 'append' || type === 'snapshot') state.send(from, { type: 'appended', term, ok: false, index: 0, round: 0 })
  }

  #compact(index: number, bytes: Uint8Array): void {
    const { log, commit } = this.state
    const [term, hash] = [log.termAt(index), log.hashAt(index)]
    if (index <= log.snapshot.index || index > commit || term === undefined || hash === undefined) return
    const snapshot = { index, term, hash, configuration: log.configurationAt(index), state: bytes }
    log.install(snapshot)
    this.state.write({ type: 'snapshot', snapshot })
  }

  /** Carries out each step that has become possible. */
  #settle(): void {
    const { state } = this
    if (state.role === 'preCandidate' && hasWon(state)) stand(state)
    if (state.role === 'candidate' && hasWon(state)) lead(state)
    advanceCommit(state)
    settleChanges(state)
    answerRequests(state)
    pump(state)
    const { log, commit, told } = state
    if (commit <= told) return
    state.told = commit
    state.effects.push({ type: 'committed', first: told + 1, entries: log.slice(told + 1, commit) })
  }
}

type Handler<Type extends RaftMessage['type']> = (state: LedgerState, from: Seat, message: Extract<RaftMessage, { type: Type }>) => void

/** The handlers get no messages of an old term, apart from a PreVote. */
const handlers: { readonly [Type in RaftMessage['type']]: Handler<Type> } = {
  preVote: onPreVote,
  preVoted: onGrant,
  vote: onVote,
  voted: onGrant,
  append: (state, from, message) => areOrdered(message) && onAppend(state, from, message),
  appended: onAppended,
  snapshot: onSnapshot,
  part: onPart,
  timeoutNow: stand,
}

function dispatch(state: LedgerState, from: Seat, message: RaftMessage): void {
  const handler = handlers[message.type] as Handler<RaftMessage['type']>
  handler(state, from, message)
}

/** Whether the terms of a page never fall, and never exceed the leader's term. */
function areOrdered({ term, prevTerm, entries }: Extract<RaftMessage, { type: 'append' }>): boolean {
  return [{ term: prevTerm }, ...entries, { term }].every((each, at, all) => at === 0 || each.term >= (all[at - 1]?.term ?? 0))
}
