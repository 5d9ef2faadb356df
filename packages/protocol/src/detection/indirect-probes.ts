/**
 * Indirect probes: before a node accuses a member, it asks others to probe it (SWIM §3.1, ping-req).
 *
 * Reachability is not transitive: two sites may be cut from each other while a third reaches both. So the helpers are the subject's linked observers, then
 * other links. "Reached" is proven by the subject's signature over its present beat; "missed" is hearsay. A helper that does not answer at all is the next suspect,
 * and where none answers this node may be cut off itself.
 *
 * Two departures from SWIM. Six are asked at once, and all their answers are waited for: with three helpers at random the one site that reaches both was missed in a
 * quarter of the cases, and a helper that has to dial the subject answers last. And where the subject's host is silent all other links are asked as soon as answers
 * should have come: that costs less than an accusation that the member has to refute. Where the host refuses, three that missed it are enough: it is a dead process most often.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickSome } from '../base/random.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Outbox } from './outbox.ts'

/**
 * So many that missed it are enough, and so many observers and as many others are asked at once. Paper: SWIM §3.1 asks three. Of six in a pool of three sites
 * all are in one's own in one case of sixty.
 */
const enough = 3

/** Who knows where to look for helpers. */
export interface HelperSources {
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /** The word of helpers that can't tell counts, too: this node can, or waited for long enough. */
  canTell(id: NodeId): boolean
  /** This node is not sure that it lives. */
  isSuspected(id: NodeId): boolean
  /** An answer is waited for so long, ms. */
  readonly timeout: Milliseconds
  /** Most answers have come after this, ms. */
  readonly usual: Milliseconds
  /** All links are to be asked before it is missed. */
  wantsAll(id: NodeId): boolean
}

export interface IndirectProbeEvents {
  /** Helpers tried and failed. */
  onMissed(id: NodeId): void
  /** Helpers answered, and none of them can tell. */
  onUnknown(id: NodeId): void
  /** No helper answered, or there is none. */
  onNoAnswer(id: NodeId): void
  onHelperSilent(helper: NodeId): void
}

interface Round {
  readonly helpers: Map<NodeId, 'asked' | 'missed' | 'unknown' | 'silent'>
  /** Most answers have come by then: where all links are to be asked, the others' turn begins. */
  secondWaveAt: Milliseconds
  deadline: Milliseconds
  /** A few were asked: now it is the turn of all others. */
  isWide: boolean
}

export class IndirectProbes implements Timed {
  readonly #context: Context
  readonly #outbox: Outbox
  readonly #sources: HelperSources
  readonly #events: IndirectProbeEvents
  readonly #rounds = new Map<NodeId, Round>()

  constructor(context: Context, outbox: Outbox, sources: HelperSources, events: IndirectProbeEvents) {
    this.#context = context
    this.#outbox = outbox
    this.#sources = sources
    this.#events = events
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    for (const round of this.#rounds.values()) next = Math.min(next, round.secondWaveAt, round.deadline)
    return next
  }

  /** Asks for one member. `relay`: reached it before, and is asked first, alone. */
  begin(id: NodeId, relay?: NodeId): void {
    const round: Round = { helpers: new Map(), secondWaveAt: Infinity, deadline: Infinity, isWide: false }
    this.#rounds.set(id, round)
    if (relay !== undefined && this.#isFit(relay, id, round)) this.#ask(id, round, [relay])
    else this.#next(id, round)
  }

  /** A round is under way. */
  isUnderWay(id: NodeId): boolean {
    return this.#rounds.has(id)
  }

  /** It answered, this node or a helper, or its life ended. */
  end(id: NodeId): void {
    this.#rounds.delete(id)
  }

  /** `unknown`: the helper can't tell, as the member may stand behind a NAT or only others reach it. */
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

  /** This process did nothing for so long: answers may wait in its sockets. */
  stalled(lateness: Milliseconds): void {
    for (const round of this.#rounds.values()) {
      round.deadline += lateness
      round.secondWaveAt += lateness
    }
  }

  clear(): void {
    this.#rounds.clear()
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
  }

  #beginSecondWave(id: NodeId, round: Round): void {
    round.secondWaveAt = Infinity
    if (!this.#sources.wantsAll(id)) return
    const others = this.#helpersFor(id, round)
    if (others.length > 0) this.#ask(id, round, others)
  }

  #conclude(id: NodeId, round: Round): void {
    // Those that miss it answer first. A helper that reaches it may have to dial it, at the same moment as many others.
    if ([...round.helpers.values()].includes('asked')) return
    if (this.#missedBy(id, round) >= enough && !this.#sources.wantsAll(id)) this.#finish(id, round)
    else this.#next(id, round)
  }

  /** Asks those that were not asked yet; where there are none, what was found out must do. */
  #next(id: NodeId, round: Round): void {
    const helpers = this.#helpersFor(id, round)
    if (helpers.length > 0) this.#ask(id, round, helpers)
    else this.#finish(id, round)
  }

  #finish(id: NodeId, round: Round): void {
    this.#rounds.delete(id)
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
      this.#outbox.ask(helper, id)
    }
  }

  /** A few of those that are likely to know it first, then all others. */
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

  /** Where this node can't tell either, the word of helpers that can't says nothing. */
  #missedBy(id: NodeId, { helpers }: Round): number {
    const canTell = this.#sources.canTell(id)
    let count = 0
    for (const answer of helpers.values()) if (answer === 'missed' || (answer === 'unknown' && canTell)) count += 1
    return count
  }
}
