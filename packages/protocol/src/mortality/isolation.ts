/**
 * Isolation: who reaches nobody among many can't tell which side is cut off.
 *
 * A sick node shall not bury a healthy pool, so what it finds out while nobody answers says nothing about others: doubts don't age, they are looked
 * at ever more rarely, and when somebody answers again they all begin anew. Refusals it trusts, as they are answers. Only after a long
 * time without a word of any member it holds the others for gone.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import type { Doubt, Doubts } from './doubts.ts'

/** Who reaches nobody stretches its time-outs by this: most likely the fault is its own. Guess: a sick node shall not bury a healthy pool. */
const stretch = 6

/** Longest pause between two looks at one member where nobody answers, ms. Guess: half of what a pool may take to heal. */
const longestPause = 10_000

/** Knocks in a row that are accepted where nobody else answers: then the network does its part. Guess: with 80 % loss one in twenty-five is. */
const answers = 10

/** In a pool of more than so many its time does not count at all: one against many. Design: two and three members can't ask for a second witness. */
export const few = 3

export class Isolation {
  readonly #context: Context
  readonly #doubts: Doubts
  /** When a member was last heard. */
  #heardAt: Milliseconds = 0
  #isCutOff = false

  constructor(context: Context, doubts: Doubts) {
    this.#context = context
    this.#doubts = doubts
  }

  /** Nobody answers, so that silence proves nothing. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  /** Between two looks at a member in doubt, at least. Where nobody answers, which lasts, they come ever more rarely. */
  get pause(): Milliseconds {
    return this.#isCutOff ? Math.max(this.#doubts.pace, Math.min(this.#silence / 8, longestPause)) : this.#doubts.pace
  }

  /** What to multiply a time-out by. */
  get stretch(): number {
    return this.#doubts.coverAllLinks(0) && this.#context.view.size > 2 ? stretch : 1
  }

  /**
   * What this node found out is worth a death without another witness: a refusal, or such a long time without a word of any member, less
   * where the member's kernel accepts all the time. (Not at once: on a machine that is starved all look like that.)
   */
  trusts(doubt: Doubt | undefined): boolean {
    const { alone, aloneAmongMute } = this.#context.config.detection
    return doubt?.evidence === 'refused' || this.#silence >= ((doubt?.accepted ?? 0) >= answers ? aloneAmongMute : alone)
  }

  /** A peer said something. */
  heard(peer: NodeId): void {
    if (this.#context.view.get(peer) !== undefined) this.#heardAt = this.#context.now
  }

  /** This process did nothing for so long. */
  stalled(lateness: Milliseconds): void {
    this.#heardAt += lateness
  }

  /** Finds out whether anybody answers, where somebody is in doubt. */
  look(): void {
    if (this.#doubts.size === 0 && !this.#isCutOff) return
    const { now, config, view } = this.#context
    const { alone, probeTimeout } = config.detection
    const wasCutOff = this.#isCutOff
    const { pause } = this
    // Whoever is there answers within that: a short doubt of all links at a time is none.
    const isSilent = this.#silence >= probeTimeout && this.#silence < alone
    this.#isCutOff = isSilent && view.size > few && this.#doubts.coverAllLinks(probeTimeout)
    if (this.#isCutOff || !wasCutOff) return
    for (const doubt of this.#doubts.values()) {
      doubt.since = now
      if (doubt.evidence !== 'refused') doubt.evidence = 'none'
      doubt.nextCheck = Math.min(doubt.nextCheck, now + this.#context.random() * pause)
    }
  }

  get #silence(): Milliseconds {
    return this.#context.now - this.#heardAt
  }
}
