/**
 * Link maintenance (peer sampling): which links a node keeps up.
 *
 * Those to its ring neighbours, who observe it, and a few to members chosen at random and replaced now and then, so that the graph of links
 * can't be surrounded by whoever picks its id well. A newcomer starts with one; the others are built one at a time, when the view
 * has become quiet, because a link costs more than all that is said over it in a flash join. Nothing below redials by itself: that is done here.
 *
 * ARRG's fallback cache (JEL §5.2) is the view itself together with the memory of the lost (`heal`): every member's addresses
 * are kept as long as it may live.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickIndex, pickOne } from '../base/random.ts'
import type { Context, Timed } from '../context/context.ts'
import { earlyLinks, probeLinkTime, settleTime, type Link } from '../context/links.ts'

/** ms without a change of the view before the remaining links are built. Measured: a flash join on a busy machine pauses for half a second. */
export const quiet = 1_200
/** In a pool that is never quiet they are built after this, ms. Guess. */
export const quietAtMost = 20_000
/** Pause between two dials of one node, ms. Measured: 11 ms of processor time each, so a node alone uses a tenth of a core. */
export const dialPause = 100
/** Longest such pause where dials take long, and how long one is waited for before the next, ms. Guess. */
const dialPauseMax = 2_000
/** The lower id dials; the higher one only after this, ms. Guess. */
export const politeness = 1_500
/** A dial that gave nothing is not repeated for this long, ms; each later one for twice as long. Guess. */
export const dialAgain = 2_000
/** Longest such wait, ms. Guess. */
export const dialAgainMax = 32_000
/** That no helper answered counts for so long, ms. Guess: twice the pause after which it asks them again. */
const isolatedFor = 4_000
/** Each dial of such a node waits longer than the one before by this factor. Guess: thirty in the first quarter of a minute. */
const slowdown = 1.1

export interface LinkMaintenanceDetector {
  /** The detector itself dials it. */
  isSuspected(id: NodeId): boolean
}

export interface LinkMaintenanceReferral {
  /** This node is just being handed on: who was named to it is being dialled. */
  readonly isUnderWay: boolean
}

export class LinkMaintenance implements Timed {
  readonly #context: Context
  readonly #detector: LinkMaintenanceDetector
  readonly #referral: LinkMaintenanceReferral
  /** Random members wanted as links: since when. */
  readonly #random = new Map<NodeId, Milliseconds>()
  /** Wanted members without a link: since when they are missing, when one was last dialled, and how often. */
  readonly #missing = new Map<NodeId, { readonly since: Milliseconds; dialled: Milliseconds; dials: number }>()
  #neighbours: ReadonlySet<NodeId> = new Set()
  /** When it last turned out that no helper answers. */
  #isolatedAt: Milliseconds = -Infinity
  /** Members dialled while that goes on. */
  #tried = 0
  #lastChange: Milliseconds = -Infinity
  #firstChange: Milliseconds | undefined
  #nextDial: Milliseconds = 0
  #nextDue: Milliseconds = Infinity

  constructor(context: Context, detector: LinkMaintenanceDetector, referral: LinkMaintenanceReferral) {
    this.#context = context
    this.#detector = detector
    this.#referral = referral
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** The view or the ring neighbours changed. */
  update(neighbours: ReadonlySet<NodeId>): void {
    this.#neighbours = neighbours
    this.#lastChange = this.#context.now
    this.#firstChange ??= this.#context.now
    this.#wake(this.#context.now)
  }

  /** Who closes an old link has more than it needs, as those whom many knew when the pool was small: another random member will do. */
  linkLost({ peer, goodbye, since }: Link): void {
    if (goodbye && this.#context.now - since >= settleTime) this.#random.delete(peer)
    this.#wake(this.#context.now)
  }

  linkUp(peer: NodeId): void {
    const { now, config, links } = this.#context
    const dialled = this.#missing.get(peer)?.dialled ?? -Infinity
    // Where dials take long, the machine or the network has enough to do: the more each takes, the rarer they are.
    if (dialled > -Infinity) {
      const pause = Math.min(Math.max((now - dialled) * 4, dialPause), dialPauseMax)
      this.#nextDial = now + this.#context.jitter(pause)
      this.#wake(this.#nextDial)
    }
    this.#missing.delete(peer)
    if (links.size > config.links.max) this.#wake(now + probeLinkTime)
  }

  /**
   * A node that reaches nobody tries one member of its view after the other (ARRG's fallback cache, JEL §5.2): those on its side of a cut may be few, and none of
   * them one that it wants. Whom it tried in vain it suspects.
   */
  isolated(): void {
    if (this.#context.now - this.#isolatedAt >= isolatedFor) this.#tried = 0
    this.#isolatedAt = this.#context.now
    this.#wake(this.#context.now)
  }

  due(): void {
    const { now } = this.#context
    if (now < this.#nextDue) return
    this.#nextDue = Infinity
    this.#chooseRandom()
    this.#trim()
    this.#dialMissing()
  }

  #wake(at: Milliseconds): void {
    this.#nextDue = Math.min(this.#nextDue, at)
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

  /** It was told so a moment ago, and has no link with a member that nothing speaks against. */
  get #isIsolated(): boolean {
    const { links, view, now } = this.#context
    if (now - this.#isolatedAt >= isolatedFor) return false
    return ![...links.keys()].some((peer) => view.get(peer) !== undefined && !this.#detector.isSuspected(peer))
  }

  /** Between two dials of a node that reaches nobody: a rack without its network must not dial for minutes. */
  #walkPause(): Milliseconds {
    this.#tried += 1
    return Math.min(dialPause * slowdown ** Math.min(this.#tried, 64), dialPauseMax)
  }

  /** So long a link is not closed as surplus. */
  #youth({ isProbeLink }: Link): Milliseconds {
    return isProbeLink ? probeLinkTime : settleTime
  }

  /** Closes links that nobody needs, where there are too many; first those that have served. */
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
    if (this.#referral.isUnderWay) {
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
      // Two that stand behind NATs can never be linked: they try ever less often.
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
    // One dial at a time, unless it takes very long.
    this.#nextDial = now + this.#context.jitter(this.#isIsolated ? this.#walkPause() : isFew ? dialPause : dialPauseMax)
    this.#wake(this.#nextDial)
  }
}
