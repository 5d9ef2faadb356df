/**
 * A round of indirect probes of one member: its helpers, in the order of the requests, and their
 * answers.
 *
 * Departure from SWIM: a node asks six helpers at once and waits for all their answers. With three
 * random helpers, in a quarter of the cases no helper was in the one site that reaches both the
 * asker and the subject. A helper that has to dial the subject answers last.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import { pickSome } from '../../base/random.ts'
import type { Context } from '../../context/context.ts'

/**
 * This many helpers that missed the member are enough. A node asks this many observers and as many
 * others at once. Paper: SWIM §3.1 asks three helpers. In a pool of three sites all six helpers are
 * in the asker's own site in one case of sixty.
 */
export const enough = 3

/** The state of the failure detector on which the choice of helpers depends. */
export interface RoundSources {
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /**
   * True if a helper's "unknown" counts as "missed": this node can tell itself, or it waited long
   * enough.
   */
  canTell(id: NodeId): boolean
  /** True if this node is not sure that the member lives. */
  isSuspected(id: NodeId): boolean
}

export class IndirectProbeRound {
  /** By this time most answers have come. Then this node asks all other links, if necessary. */
  secondWaveAt: Milliseconds = Infinity
  deadline: Milliseconds = Infinity
  readonly #context: Context
  readonly #sources: RoundSources
  readonly #subject: NodeId
  readonly #helpers = new Map<NodeId, 'asked' | 'missed' | 'unknown' | 'silent'>()
  /** True once the first few helpers are chosen. {@link next} then returns all others. */
  #isWide = false

  constructor(context: Context, sources: RoundSources, subject: NodeId) {
    this.#context = context
    this.#sources = sources
    this.#subject = subject
  }

  /** True while a helper has not answered. */
  get isPending(): boolean {
    return [...this.#helpers.values()].includes('asked')
  }

  /** True if a helper can't tell. */
  get isUnknown(): boolean {
    return [...this.#helpers.values()].includes('unknown')
  }

  /**
   * Number of helpers that missed the member. A helper's "unknown" counts only if
   * {@link RoundSources.canTell} says so.
   */
  get missed(): number {
    const canTell = this.#sources.canTell(this.#subject)
    let count = 0
    for (const answer of this.#helpers.values()) if (answer === 'missed' || (answer === 'unknown' && canTell)) count += 1
    return count
  }

  ask(helper: NodeId): void {
    this.#helpers.set(helper, 'asked')
  }

  /**
   * Notes an answer. Returns false if this round did not ask the helper, or the helper has answered
   * before.
   */
  answer(helper: NodeId, how: 'missed' | 'unknown' | 'silent'): boolean {
    if (this.#helpers.get(helper) !== 'asked') return false
    this.#helpers.set(helper, how)
    return true
  }

  /** Gives up on the helpers that have not answered, and returns them. */
  giveUp(): NodeId[] {
    return [...this.#helpers.keys()].filter((helper) => this.answer(helper, 'silent'))
  }

  /**
   * The first call returns a few helpers that probably know the member. The next call returns all
   * others.
   */
  next(): NodeId[] {
    const fit = new Set([...this.#context.links.keys()].filter((peer) => this.isFit(peer)))
    if (this.#isWide) return [...fit]
    this.#isWide = true
    const chosen: NodeId[] = []
    const choose = (from: Iterable<NodeId>, most: number): void => {
      const some = pickSome(
        () => this.#context.random(),
        [...from].filter((peer) => fit.has(peer)),
        most,
      )
      for (const peer of some) if (fit.delete(peer)) chosen.push(peer)
    }
    choose(this.#sources.observersOf(this.#subject), enough)
    choose([...fit], enough * 2 - chosen.length)
    return chosen
  }

  /** True if this round can ask this peer. */
  isFit(peer: NodeId): boolean {
    const { links, view } = this.#context
    return (
      peer !== this.#subject &&
      links.get(peer)?.entered === true &&
      view.get(peer) !== undefined &&
      !this.#helpers.has(peer) &&
      !this.#sources.isSuspected(peer)
    )
  }
}
