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
 * Departure from SWIM: unless the subject's host refuses, the node asks all other links as soon as
 * most answers should have come. These requests cost less than an accusation that the member has to
 * refute. If the host refuses, most often the process is dead. Then three helpers that missed it
 * are enough.
 */
import { earliest } from '../../base/earliest.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Timed } from '../../context/timers.ts'
import type { Batcher } from './batcher.ts'
import { enough, IndirectProbeRound, type RoundSources } from './indirect-probe-round.ts'

/**
 * Round trips of a helper that has to dial the subject: TCP, Noise, hello, the probe. Guess. A
 * helper's answer may take these and `gathering`.
 */
const roundTrips = 8
/**
 * The time that a request and its answer spend in batches, ms. Guess: there are four batches, and
 * each may wait for twice the `gatherTime` of a batch.
 */
export const gathering = 80
/**
 * Longest time for these round trips, ms. If answers take seconds, the machine is overloaded. Waits
 * in proportion to these times would keep it overloaded. Guess: the network alone never takes
 * longer.
 */
const longestUsual = 2_000

/**
 * Returns the time in which most answers of helpers come, ms. `roundTrip`: the usual round trip of
 * probes.
 */
export function usualAnswer(roundTrip: Milliseconds): Milliseconds {
  return gathering + Math.min(roundTrip * roundTrips, longestUsual)
}

export interface HelperSources extends RoundSources {
  /** Longest wait for an answer, ms. */
  readonly timeout: Milliseconds
  /** Most answers come within this time, ms. */
  readonly usual: Milliseconds
  /** True if this node asks all its links before it counts the member as missed. */
  wantsAll(id: NodeId): boolean
}

/** Decides what the answers of the helpers mean. */
export interface Verdict {
  /** Helpers missed the member. */
  missed(id: NodeId): void
  /** Helpers answered, and none of them can tell. */
  unknown(id: NodeId): void
  /** No helper answered, or there is none. */
  unanswered(id: NodeId): void
  /** This helper did not answer in time. */
  helperSilent(helper: NodeId): void
}

export class IndirectProbes implements Timed {
  readonly #context: Context
  readonly #batcher: Batcher
  readonly #sources: HelperSources
  readonly #verdict: Verdict
  readonly #rounds = new Map<NodeId, IndirectProbeRound>()

  constructor(context: Context, batcher: Batcher, sources: HelperSources, verdict: Verdict) {
    this.#context = context
    this.#batcher = batcher
    this.#sources = sources
    this.#verdict = verdict
  }

  /**
   * Begins a round of probes of one member. Asks `relay` first, alone: `relay` reached the member
   * before, or observes it.
   */
  begin(id: NodeId, relay?: NodeId): void {
    const round = new IndirectProbeRound(this.#context, this.#sources, id)
    this.#rounds.set(id, round)
    if (relay !== undefined && round.isFit(relay)) this.#ask(id, round, [relay])
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
    if (round?.answer(helper, how) === true) this.#conclude(id, round)
  }

  linkLost(helper: NodeId): void {
    for (const [id, round] of this.#rounds) if (round.answer(helper, 'silent')) this.#conclude(id, round)
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
      for (const helper of round.giveUp()) this.#verdict.helperSilent(helper)
      this.#conclude(id, round)
    }
    this.#arm()
  }

  #arm(): void {
    const next = earliest(this.#rounds.values(), ({ secondWaveAt, deadline }) => Math.min(secondWaveAt, deadline))
    this.#context.timers.set('indirectProbe', next)
  }

  #beginSecondWave(id: NodeId, round: IndirectProbeRound): void {
    round.secondWaveAt = Infinity
    if (!this.#sources.wantsAll(id)) return
    const others = round.next()
    if (others.length > 0) this.#ask(id, round, others)
  }

  #conclude(id: NodeId, round: IndirectProbeRound): void {
    // Waits for all answers. Helpers that miss the member answer first. A helper that reaches it
    // may have to dial it, at the same time as many others.
    if (round.isPending) return
    if (round.missed >= enough && !this.#sources.wantsAll(id)) this.#finish(id, round)
    else this.#next(id, round)
  }

  /**
   * Asks the helpers that this round has not asked yet. If no such helper is left, concludes from
   * the answers.
   */
  #next(id: NodeId, round: IndirectProbeRound): void {
    const helpers = round.next()
    if (helpers.length > 0) this.#ask(id, round, helpers)
    else this.#finish(id, round)
  }

  #finish(id: NodeId, round: IndirectProbeRound): void {
    this.end(id)
    if (round.missed > 0) this.#verdict.missed(id)
    else if (round.isUnknown) this.#verdict.unknown(id)
    else this.#verdict.unanswered(id)
  }

  #ask(id: NodeId, round: IndirectProbeRound, helpers: readonly NodeId[]): void {
    const { now } = this.#context
    round.secondWaveAt = now + this.#sources.usual
    round.deadline = now + this.#sources.timeout
    for (const helper of helpers) {
      round.ask(helper)
      this.#batcher.ask(helper, id)
    }
    this.#arm()
  }
}
