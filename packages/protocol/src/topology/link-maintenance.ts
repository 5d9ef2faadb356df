/**
 * Link maintenance (peer sampling): decides which links a node keeps.
 *
 * A node keeps links to its ring neighbours, which observe it. It also keeps links to a few random
 * members, and replaces them now and then. So an attacker can't surround a part of the graph with
 * ids of its choice. A newcomer starts with one link. It builds the others one at a time when the
 * view is quiet, because in a flash join a link costs more than all traffic over it. No layer below
 * dials again by itself. This class does.
 *
 * The view and the memory of lost members (`heal.ts`) take the part of ARRG's fallback cache (JEL
 * §5.2): they keep each member's addresses for as long as the member may live.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import { pickIndex, pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import { earlyLinks, probeLinkTime, settleTime, type Link } from '../context/links.ts'

/**
 * A node builds its remaining links after this time without a change of its view, ms. Measured: in
 * a flash join on a busy machine changes pause for half a second.
 */
export const quiet = 1_200
/** In a pool that is never quiet a node builds its remaining links after this time, ms. Guess. */
export const quietAtMost = 20_000
/**
 * Pause between two dials of one node, ms. Measured: a dial takes 11 ms of processor time, so a
 * node's dials use a tenth of a core.
 */
export const dialPause = 100
/**
 * Longest pause after a dial that took long, and longest wait for the result of a dial before the
 * next dial, ms. Guess.
 */
const dialPauseMax = 2_000
/**
 * Of two members the one with the lower id dials. The other dials only after this time, ms. Guess.
 */
export const politeness = 1_500
/** Wait after a failed dial, ms. The wait doubles each time. Guess. */
export const dialAgain = 2_000
/** Longest such wait, ms. Guess. */
export const dialAgainMax = 32_000
/**
 * After a report that no helper answers, the node counts as isolated for this time, ms. Guess:
 * twice the pause after which the node asks the helpers again.
 */
const isolatedFor = 4_000
/**
 * Each pause of an isolated node is longer than the pause before by this factor. Guess: thirty
 * dials in the first 15 s.
 */
const slowdown = 1.1

export interface LinkMaintenanceDetector {
  /** True for a member that the detector itself dials. */
  isSuspected(id: NodeId): boolean
}

export interface LinkMaintenanceRedirection {
  /** True while this node follows a redirection, and dials the named members. */
  readonly isUnderWay: boolean
}

export class LinkMaintenance implements Timed {
  readonly #context: Context
  readonly #detector: LinkMaintenanceDetector
  readonly #redirection: LinkMaintenanceRedirection
  /** Random members wanted as links, each with the time of the choice. */
  readonly #random = new Map<NodeId, Milliseconds>()
  /**
   * Wanted members without a link: since when, the time of the last dial, and the number of dials.
   */
  readonly #missing = new Map<NodeId, { readonly since: Milliseconds; dialled: Milliseconds; dials: number }>()
  #neighbours: ReadonlySet<NodeId> = new Set()
  /** Time of the last report that no helper answers. */
  #isolatedAt: Milliseconds = -Infinity
  /** Number of dials since the isolation began. */
  #tried = 0
  #lastChange: Milliseconds = -Infinity
  #firstChange: Milliseconds | undefined
  #nextDial: Milliseconds = 0

  constructor(context: Context, detector: LinkMaintenanceDetector, redirection: LinkMaintenanceRedirection) {
    this.#context = context
    this.#detector = detector
    this.#redirection = redirection
  }

  /** Handles a change of the view or the ring neighbours. */
  update(neighbours: ReadonlySet<NodeId>): void {
    this.#neighbours = neighbours
    this.#lastChange = this.#context.now
    this.#firstChange ??= this.#context.now
    this.#wake(this.#context.now)
  }

  /**
   * Handles the end of a link. A peer that closes an old link has more links than it needs: perhaps
   * many members chose it when the pool was small. Another random member serves as well.
   */
  linkLost({ peer, goodbye, since }: Link): void {
    if (goodbye && this.#context.now - since >= settleTime) this.#random.delete(peer)
    this.#wake(this.#context.now)
  }

  linkUp(peer: NodeId): void {
    const { now, config, links } = this.#context
    const dialled = this.#missing.get(peer)?.dialled ?? -Infinity
    // If a dial takes long, the machine or the network is busy. The longer it takes, the longer is
    // the pause before the next dial.
    if (dialled > -Infinity) {
      const pause = Math.min(Math.max((now - dialled) * 4, dialPause), dialPauseMax)
      this.#nextDial = now + this.#context.jitter(pause)
      this.#wake(this.#nextDial)
    }
    this.#missing.delete(peer)
    if (links.size > config.links.max) this.#wake(now + probeLinkTime)
  }

  /**
   * Handles isolation. A node that reaches nobody dials the members of its view one after the other
   * (ARRG's fallback cache, JEL §5.2). Few members may be on its side of a partition, and perhaps
   * none of them is wanted as a link. The node suspects members that it dialled in vain, and does
   * not choose them again.
   */
  isolated(): void {
    if (this.#context.now - this.#isolatedAt >= isolatedFor) this.#tried = 0
    this.#isolatedAt = this.#context.now
    this.#wake(this.#context.now)
  }

  due(): void {
    this.#chooseRandom()
    this.#trim()
    this.#dialMissing()
  }

  #wake(at: Milliseconds): void {
    this.#context.timers.advance('links', at)
  }

  #wanted(): Set<NodeId> {
    return new Set([...this.#neighbours, ...this.#random.keys()])
  }

  #chooseRandom(): void {
    const { now, view, config, id } = this.#context
    const isIsolated = this.#isIsolated
    const isUnfit = (peer: NodeId): boolean =>
      view.get(peer) === undefined || this.#neighbours.has(peer) || (isIsolated && this.#detector.isSuspected(peer))
    for (const [peer, since] of this.#random) if (isUnfit(peer) || now - since >= config.links.randomLifetime) this.#random.delete(peer)
    const others = view.size - 1 - this.#neighbours.size
    for (let tries = 0; this.#random.size < Math.min(config.links.random, others) && tries < 16; tries++) {
      const pick = view.at(pickIndex(() => this.#context.random(), view.size))
      if (pick === undefined || pick.id === id || this.#random.has(pick.id) || isUnfit(pick.id)) continue
      this.#random.set(pick.id, now - this.#context.random() * config.links.randomLifetime * 0.5)
    }
    for (const since of this.#random.values()) this.#wake(since + config.links.randomLifetime)
  }

  /**
   * True if a report of isolation came a moment ago, and no link leads to an unsuspected member.
   */
  get #isIsolated(): boolean {
    const { links, view, now } = this.#context
    if (now - this.#isolatedAt >= isolatedFor) return false
    return ![...links.keys()].some((peer) => view.get(peer) !== undefined && !this.#detector.isSuspected(peer))
  }

  /**
   * Returns the pause before the next dial of an isolated node. The pause grows, so that a rack
   * without its network does not dial at full rate for minutes.
   */
  #walkPause(): Milliseconds {
    this.#tried += 1
    return Math.min(dialPause * slowdown ** Math.min(this.#tried, 64), dialPauseMax)
  }

  /** Age from which this node may close a link as surplus. */
  #youth({ isProbeLink }: Link): Milliseconds {
    return isProbeLink ? probeLinkTime : settleTime
  }

  /** Closes surplus links that this node does not want. Links for a probe go first. */
  #trim(): void {
    const { now, links, config } = this.#context
    let surplus = links.size - config.links.max
    if (surplus <= 0) return
    const wanted = this.#wanted()
    const unwanted = [...links.values()].filter(({ peer }) => !wanted.has(peer))
    for (const link of unwanted.sort((a, b) => Number(b.isProbeLink) - Number(a.isProbeLink))) {
      const { peer, since } = link
      if (surplus <= 0) break
      const until = since + this.#youth(link)
      if (now < until) {
        this.#wake(until)
        continue
      }
      surplus -= 1
      this.#context.closeLink(peer, 'more links than needed')
    }
  }

  #dialMissing(): void {
    const { now, links, view, id } = this.#context
    const wanted = this.#wanted()
    for (const peer of this.#missing.keys()) if (!wanted.has(peer) || links.has(peer)) this.#missing.delete(peer)
    for (const peer of wanted)
      if (!links.has(peer) && !this.#missing.has(peer)) this.#missing.set(peer, { since: now, dialled: -Infinity, dials: 0 })
    if (this.#missing.size === 0) {
      this.#firstChange = undefined
      return
    }
    const isFew = this.#isIsolated || [...links.keys()].filter((peer) => view.get(peer) !== undefined).length < earlyLinks
    const quietAt = Math.min(this.#lastChange + quiet, (this.#firstChange ?? now) + quietAtMost)
    if (this.#redirection.isUnderWay) {
      this.#wake(now + dialAgain)
      return
    }
    if (!isFew && now < quietAt) {
      this.#wake(quietAt)
      return
    }
    if (now < this.#nextDial) {
      this.#wake(this.#nextDial)
      return
    }
    const ready: NodeId[] = []
    for (const [peer, { since, dialled, dials }] of this.#missing) {
      // Some members never get a link, for example if no relay reaches them. So this node dials
      // them ever less often.
      const pause = isFew ? dialAgain : Math.min(dialAgain * 2 ** Math.min(dials - 1, 16), dialAgainMax)
      const at = Math.max(dialled + pause, isFew || id < peer ? since : since + politeness)
      if (this.#detector.isSuspected(peer)) this.#wake(now + dialAgain) // the detector dials it
      else if (at <= now) ready.push(peer)
      else this.#wake(at)
    }
    const peer = pickOne(() => this.#context.random(), ready)
    if (peer === undefined) return
    const missing = this.#missing.get(peer)
    if (missing !== undefined) {
      missing.dialled = now
      missing.dials += 1
    }
    const addresses = view.get(peer)?.addresses ?? []
    this.#context.effects.push({ type: 'connect', peer, addresses })
    // Waits for one dial before the next, unless the dial takes very long.
    this.#nextDial = now + this.#context.jitter(this.#isIsolated ? this.#walkPause() : isFew ? dialPause : dialPauseMax)
    this.#wake(this.#nextDial)
  }
}
