import { Timers, type Milliseconds, type TimerEffect } from '@jel/machine'
import { hasSeat, isFounding, type Configuration } from './configuration.ts'
import { DIAL, ELECTION, MAX_TURNS, RETRY, type LedgerEffect, type LedgerOptions, type StopCode } from './ledger-io.ts'
import type { Leading } from './leading.ts'
import type { Log } from './log.ts'
import type { LedgerMessage } from './messages.ts'
import type { Seat } from './seat.ts'
import type { Durable, StoreRecord } from './store.ts'

export type Role = 'follower' | 'preCandidate' | 'candidate' | 'leader' | 'stopped'

/** A snapshot that arrives in parts. */
export interface Incoming {
  readonly from: Seat
  readonly hash: string
  readonly parts: readonly Uint8Array[]
  readonly received: number
}

/** The state of one seat, which the parts of its machine share. */
export class LedgerState {
  readonly options: LedgerOptions
  readonly ledger: string
  readonly seat: Seat
  readonly log: Log
  readonly timers = new Timers(['heartbeat', 'stand'])
  term: number
  votedFor: Seat | undefined
  role: Role = 'follower'
  leader: Seat | undefined
  /** `commit`: the last committed entry. `told`: the last one that an effect has reported. */
  commit: number
  told: number
  /** When a leader was last heard. */
  heardAt: Milliseconds = -Infinity
  /** The longest value of `turns` so far. -1: there was none. */
  longestTurns: Milliseconds = -1
  /**
   * `grants`: the seats that granted this one a vote or a PreVote. `ownVote`: the number of the
   * write of its own vote.
   */
  grants = new Set<Seat>()
  ownVote = 0
  /** Undefined: this seat does not lead. */
  leading: Leading | undefined
  incoming: Incoming | undefined
  seen: readonly Seat[] = []
  wanted: readonly Seat[] | undefined
  /** `written`: the number of the last write. `synced`: that of the last synced write. */
  written = 0
  synced = 0
  now: Milliseconds = 0
  effects: (LedgerEffect | TimerEffect)[] = []

  constructor(options: LedgerOptions, { ledger, seat, term, votedFor, log }: Durable) {
    this.options = options
    this.ledger = ledger
    this.seat = seat
    this.term = term
    this.votedFor = votedFor
    this.log = log
    this.commit = log.snapshot.index
    this.told = this.commit
  }

  get configuration(): Configuration {
    return this.log.latest.configuration
  }

  /**
   * The latest configuration. Until it is committed, the one before as well: see {@link mayStand}.
   */
  get configurations(): readonly Configuration[] {
    const { latest, before } = this.log
    return before === undefined || latest.index <= this.commit ? [latest.configuration] : [latest.configuration, before.configuration]
  }

  /** Writes a record. Returns the number of the write. */
  write(record: StoreRecord): number {
    this.written += 1
    this.effects.push({ type: 'write', number: this.written, record })
    return this.written
  }

  send(to: string, message: LedgerMessage, after = 0): void {
    this.effects.push({ type: 'send', to, after, message })
  }

  /** Enters a term, with a vote for a seat or for none yet. Returns the number of the write. */
  enter(term: number, votedFor?: Seat): number {
    this.term = term
    this.votedFor = votedFor
    return this.write({ type: 'vote', term, votedFor })
  }

  /**
   * Becomes a follower of this leader. Undefined: no leader is known. Redirects the waiting
   * requests.
   */
  follow(leader?: Seat): void {
    const { leading } = this
    this.role = 'follower'
    this.leading = undefined
    this.grants.clear()
    this.timers.set('heartbeat', Infinity)
    this.setLeader(leader)
    this.awaitLeader()
    for (const { from, number } of leading?.requests ?? []) this.send(from, redirection(number, leader))
  }

  setLeader(leader: Seat | undefined): void {
    if (this.leader === leader) return
    this.leader = leader
    this.effects.push({ type: 'leader', term: this.term, leader })
  }

  /**
   * Sets the time at which this seat stands: after one to two election time-outs, chosen at random
   * (Raft §5.2). At a founding it waits for the founders before it, too.
   */
  awaitLeader(): void {
    this.timers.set('stand', this.now + this.turns + ELECTION * (1 + this.options.random()))
  }

  /**
   * The time that this seat waits for the founders before it, in the order of their seats. 0: there
   * is no founding.
   */
  get turns(): Milliseconds {
    const founding = this.configurations.find(isFounding)
    if (founding === undefined) return 0
    const founders = this.seen.filter((each) => hasSeat(founding, each))
    const before = founders.filter((each) => each < this.seat).length
    return Math.min(before * founders.length * DIAL, MAX_TURNS)
  }

  /** Lets a seat without a quorum ask for votes again soon. */
  retrySoon(): void {
    this.timers.set('stand', this.now + RETRY * (1 + this.options.random()))
  }

  stop(code: StopCode): void {
    this.follow()
    this.role = 'stopped'
    this.timers.set('stand', Infinity)
    this.effects.push({ type: 'stopped', code })
  }
}

export function redirection(number: number, leader: Seat | undefined): LedgerMessage {
  return leader === undefined ? { type: 'redirected', number } : { type: 'redirected', number, leader }
}
