/**
 * Indirect probes: before a node accuses a member, it asks others to probe it (SWIM §3.1,
 * ping-req).
 *
 * Reachability is not transitive: two sites may be cut off from each other while a third reaches
 * both. So a node first asks linked observers of the subject and a few other linked members, then
 * all others. The subject's signature over its present heartbeat proves "reached". "Missed" has no
 * proof. A helper that does not answer is the next suspect. If no helper answers, this node may be
 * cut off itself.
 *
 * Two departures from SWIM:
 *
 * - A node asks six helpers at once and waits for all their answers. With three random helpers, in
 *   a quarter of the cases no helper was in the one site that reaches both. And a helper that has
 *   to dial the subject answers last.
 * - Unless the subject's host refuses, the node asks all other links as soon as most answers should
 *   have come. These requests cost less than an accusation that the member has to refute. If the
 *   host refuses, most often the process is dead. Then three helpers that missed it are enough.
 */
import { earliest } from '../../base/earliest.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import { pickSome } from '../../base/random.ts'
import type { Context } from '../../context/context.ts'
import type { Timed } from '../../context/timers.ts'
import type { Batcher } from './batcher.ts'

/**
 * This many helpers that missed the member are enough. A node asks this many observers and as many
 * others at once. Paper: SWIM §3.1 asks three helpers. In a pool of three sites all six helpers are
 * in the asker's own site in one case of sixty.
 */
const enough = 3

/**
 * The time for a helper's answer. A helper that has to dial the subject (TCP, Noise, hello) takes
 * this many round trips. `gathering`, ms, is for batches: requests and answers are gathered four
 * times on the way. Guess.
 */
const roundTrips = 8
export const gathering = 80
/**
 * Longest time for these round trips, ms. If answers take seconds, the machine is overloaded. Waits
 * in proportion would keep it overloaded. Guess: the network alone never takes longer.
 */
const longestUsual = 2_000

/**
 * Returns the time in which most answers of helpers come, ms. `roundTrip`: the usual round trip of
 * probes.
 */
export function usualAnswer(roundTrip: Milliseconds): Milliseconds {
  return gathering + Math.min(roundTrip * roundTrips, longestUsual)
}

/** The state of the failure detector that indirect probes need. */
export interface HelperSources {
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /**
   * True if a helper's "unknown" counts as "missed": this node can tell itself, or it waited long
   * enough.
   */
  canTell(id: NodeId): boolean
  /** True if this node is not sure that the member lives. */
  isSuspected(id: NodeId): boolean
  /** Longest wait for an answer, ms. */
  readonly timeout: Milliseconds
  /** Most answers come within this time, ms. */
  readonly usual: Milliseconds
  /** True if all links are asked before the member counts as missed. */
  wantsAll(id: NodeId): boolean
}

export interface IndirectProbeEvents {
  /** Helpers missed the member. */
  onMissed(id: NodeId): void
  /** Helpers answered, and none of them can tell. */
  onUnknown(id: NodeId): void
  /** No helper answered, or there is none. */
  onNoAnswer(id: NodeId): void
  onHelperSilent(helper: NodeId): void
}

interface Round {
  readonly helpers: Map<NodeId, 'asked' | 'missed' | 'unknown' | 'silent'>
  /** By this time most answers have come. Then all other links are asked, if necessary. */
  secondWaveAt: Milliseconds
  deadline: Milliseconds
  /** True once the first few helpers are chosen. Then all others are next. */
  isWide: boolean
}

export class IndirectProbes implements Timed {
  readonly #context: Context
  readonly #batcher: Batcher
  readonly #sources: HelperSources
  readonly #events: IndirectProbeEvents
  readonly #rounds = new Map<NodeId, Round>()

  constructor(context: Context, batcher: Batcher, sources: HelperSources, events: IndirectProbeEvents) {
    this.#context = context
    this.#batcher = batcher
    this.#sources = sources
    this.#events = events
  }

  /**
   * Begins a round of probes of one member. `relay` is asked first, alone: it reached the member
   * before, or observes it.
   */
  begin(id: NodeId, relay?: NodeId): void {
    const round: Round = { helpers: new Map(), secondWaveAt: Infinity, deadline: Infinity, isWide: false }
    this.#rounds.set(id, round)
    if (relay !== undefined && this.#isFit(relay, id, round)) this.#ask(id, round, [relay])
    else this.#next(id, round)
  }

  /** True if a round is under way. */
  isUnderWay(id: NodeId): boolean {
    return this.#rounds.has(id)
  }

  /** Ends the round: the member answered this node or a helper, or its life ended. */
  end(id: NodeId): void {
    if (this.#rounds.delete(id)) this.#arm()
  }

  /**
   * Takes in a negative answer. `unknown`: the helper can't tell. The member may be behind a NAT,
   * or only other nodes reach it.
   */
  missed(helper: NodeId, id: NodeId, how: 'missed' | 'unknown'): void {
    const round = this.#rounds.get(id)
    if (round?.helpers.get(helper) !== 'asked') return
    round.helpers.set(helper, how)
    this.#conclude(id, round)
  }

  linkLost(helper: NodeId): void {
    for (const [id, round] of this.#rounds) {
      if (round.helpers.get(helper) !== 'asked') continue
      round.helpers.set(helper, 'silent')
      this.#conclude(id, round)
    }
  }

  /** This process stalled for `lateness`: answers may wait in its sockets. */
  stalled(lateness: Milliseconds): void {
    for (const round of this.#rounds.values()) {
      round.deadline += lateness
      round.secondWaveAt += lateness
    }
    this.#arm()
  }

  clear(): void {
    this.#rounds.clear()
    this.#arm()
  }

  due(): void {
    const { now } = this.#context
    for (const [id, round] of this.#rounds) {
      if (now >= round.secondWaveAt) this.#beginSecondWave(id, round)
      if (now < round.deadline || !this.#rounds.has(id)) continue
      for (const [helper, answer] of round.helpers) {
        if (answer !== 'asked') continue
        round.helpers.set(helper, 'silent')
        this.#events.onHelperSilent(helper)
      }
      this.#conclude(id, round)
    }
    this.#arm()
  }

  #arm(): void {
    const next = earliest(this.#rounds.values(), ({ secondWaveAt, deadline }) => Math.min(secondWaveAt, deadline))
    this.#context.timers.set('indirectProbe', next)
  }

  #beginSecondWave(id: NodeId, round: Round): void {
    round.secondWaveAt = Infinity
    if (!this.#sources.wantsAll(id)) return
    const others = this.#helpersFor(id, round)
    if (others.length > 0) this.#ask(id, round, others)
  }

  #conclude(id: NodeId, round: Round): void {
    // Waits for all answers. Helpers that miss the member answer first. A helper that reaches it
    // may have to dial it, at the same time as many others.
    if ([...round.helpers.values()].includes('asked')) return
    if (this.#missedBy(id, round) >= enough && !this.#sources.wantsAll(id)) this.#finish(id, round)
    else this.#next(id, round)
  }

  /**
   * Asks helpers that were not asked yet. If no such helper is left, concludes from the answers.
   */
  #next(id: NodeId, round: Round): void {
    const helpers = this.#helpersFor(id, round)
    if (helpers.length > 0) this.#ask(id, round, helpers)
    else this.#finish(id, round)
  }

  #finish(id: NodeId, round: Round): void {
    this.end(id)
    if (this.#missedBy(id, round) > 0) this.#events.onMissed(id)
    else if ([...round.helpers.values()].includes('unknown')) this.#events.onUnknown(id)
    else this.#events.onNoAnswer(id)
  }

  #ask(id: NodeId, round: Round, helpers: readonly NodeId[]): void {
    const { now } = this.#context
    round.secondWaveAt = now + this.#sources.usual
    round.deadline = now + this.#sources.timeout
    for (const helper of helpers) {
      round.helpers.set(helper, 'asked')
      this.#batcher.ask(helper, id)
    }
    this.#arm()
  }

  /** Returns first a few helpers that probably know the member, at the next call all others. */
  #helpersFor(id: NodeId, round: Round): NodeId[] {
    const fit = new Set([...this.#context.links.keys()].filter((peer) => this.#isFit(peer, id, round)))
    if (round.isWide) return [...fit]
    round.isWide = true
    const chosen: NodeId[] = []
    const choose = (from: Iterable<NodeId>, most: number): void => {
      const some = pickSome(
        () => this.#context.random(),
        [...from].filter((peer) => fit.has(peer)),
        most,
      )
      for (const peer of some) if (fit.delete(peer)) chosen.push(peer)
    }
    choose(this.#sources.observersOf(id), enough)
    choose([...fit], enough * 2 - chosen.length)
    return chosen
  }

  #isFit(peer: NodeId, id: NodeId, { helpers }: Round): boolean {
    const { links, view } = this.#context
    return (
      peer !== id &&
      links.get(peer)?.entered === true &&
      view.get(peer) !== undefined &&
      !helpers.has(peer) &&
      !this.#sources.isSuspected(peer)
    )
  }

  /**
   * Counts the helpers that missed the member. A helper's "unknown" counts only if
   * {@link HelperSources.canTell} says so.
   */
  #missedBy(id: NodeId, { helpers }: Round): number {
    const canTell = this.#sources.canTell(id)
    let count = 0
    for (const answer of helpers.values()) if (answer === 'missed' || (answer === 'unknown' && canTell)) count += 1
    return count
  }
}
