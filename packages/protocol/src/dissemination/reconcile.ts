/**
 * Reconciliation: two nodes make their fact sets equal, with bytes in proportion to the difference
 * (anti-entropy by range-based set reconciliation, Meyer 2022). Each fact has a position: the hash
 * of its key. The nodes compare fingerprints of ranges of positions.
 *
 * One side sends the fingerprint of all its facts. If the other side has the same, a small answer
 * ends the exchange. This is the usual case in an idle pool, so an idle pool is cheap. If the
 * fingerprints differ, the answer lists the facts of a short range by their items. An item is a
 * position and half of the fact's version. The answer splits a longer range, and has a fingerprint
 * of each part. If one side has far fewer facts in a range than the other, that side lists them at
 * once. The receiver of a list sends the facts that the list lacks, and requests the facts that it
 * lacks itself. A message with ranges gets one answer. If both sides begin at once, one exchange is
 * dropped. A newcomer's whole state is a short range. So the newcomer receives a small pool in one
 * round trip.
 *
 * Ranges are in order. If a page or a frame is full, the answer ends with one range that describes
 * the rest. The next message of the other side continues there. So a state of any size goes page by
 * page, each in a round trip. The exchange ends, since each answer either splits the requested
 * ranges or moves on. A liar that never lets it end is slowed down like any peer with many
 * requests.
 *
 * A node reconciles with a random link at intervals. A change shortens the interval. It doubles
 * while nothing changes. A node begins one reconciliation at a time. If one takes long, its peer
 * may be gone, so the node begins a second.
 */
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import type { Fingerprint } from '../facts/fingerprint-grid.ts'
import { pack, packFacts, unpack, type Item } from '../facts/items.ts'
import type * as wire from '../wire/messages.js'
import { mayAsk, Page } from './page.ts'

/**
 * First intervals after a change, ms. They double while nothing changes. `other` is chosen for a
 * flash join (target). `broadcast` is a guess: such a change shows that dissemination works.
 */
export const intervals = { other: 250, broadcast: 500 } as const
/** Longest interval, ms. Target: idle traffic. */
export const intervalMax = 30_000
/**
 * In a larger pool broadcasts come more often. So the interval after a broadcast grows in
 * proportion to the pool, at most eight times. Measured (simulated, 1,000 nodes, one-hour
 * sessions): otherwise reconciliation was more than half of all bytes.
 */
const largePool = 500
/**
 * A node begins no other reconciliation if one of its own got a message within this time, ms.
 * Measured (simulated, 40 nodes on two processors of half the usual speed, after a partition): the
 * pool was whole after 8 to 11 s. With 1,000 ms it took 8 to 15 s. With 0 it took 10 to 20 s.
 */
export const oneAtATime = 2_500
/** A reconciliation ends if no answer comes for this time, ms. Guess. */
export const timeout = 5_000

/**
 * A range with at most this many facts is listed, not split. Guess: the fingerprints of its twelve
 * parts have as many bytes as 35 items.
 */
export const list = 32
/**
 * If one side has this many times as many facts as the other, nearly all of them differ. So the
 * smaller side lists its facts at once. Guess. Measured together with `list`: a flash join of 2,000
 * takes 6 % fewer bytes.
 */
const imbalance = 4
/** Number of parts of a split range. Measured (simulated, 100 nodes): 8 to 16 differ by 5 %. */
export const fanout = 12
/**
 * A longer reconciliation does not keep a node from beginning others, ms. Guess: the time of 50,000
 * members with the largest tags through 10 Mbit/s.
 */
const longest = 60_000

const none = new Uint8Array(0)

interface Exchange {
  /** This node began it. */
  readonly isOwn: boolean
  readonly begun: Milliseconds
  /** Time of its last message. */
  heard: Milliseconds
  round: number
}

export class Reconciler implements Timed {
  readonly #context: Context
  /** Reconciliations in progress. */
  readonly #exchanges = new Map<NodeId, Exchange>()
  #interval: Milliseconds = intervals.other

  constructor(context: Context) {
    this.#context = context
  }

  /** Shortens the interval after a change. */
  quicken(cause: keyof typeof intervals): void {
    const size = cause === 'other' ? 1 : this.#context.view.size / largePool
    const wanted = intervals[cause] * Math.min(Math.max(size, 1), 8)
    this.#interval = Math.min(this.#interval, wanted)
    this.#context.timers.advance('reconciliation', this.#context.now + this.#context.jitter(this.#interval))
  }

  due(): void {
    const { now, links, timers } = this.#context
    for (const [peer, exchange] of this.#exchanges) if (!this.#isAlive(exchange)) this.#exchanges.delete(peer)
    const peers = [...links.values()]
      .filter((link) => link.entered && !link.redirected && !this.#exchanges.has(link.peer))
      .map((link) => link.peer)
    const peer = this.#isBusy() ? undefined : pickOne(() => this.#context.random(), peers)
    if (peer !== undefined) this.begin(peer)
    timers.set('reconciliation', now + this.#context.jitter(this.#interval))
    this.#interval = Math.min(intervalMax, this.#interval * 2)
  }

  /** Begins a reconciliation, unless this node already has one with this peer in progress. */
  begin(peer: NodeId): void {
    const { now } = this.#context
    const exchange = this.#exchanges.get(peer)
    if (exchange?.isOwn === true && this.#isAlive(exchange)) return
    this.#exchanges.set(peer, { isOwn: true, begun: now, heard: now, round: 1 })
    this.#context.send(peer, { reconcile: { round: 1, ranges: [this.#describe(0, hashSpace, new Page())] } })
  }

  #isAlive({ heard }: Exchange): boolean {
    return this.#context.now - heard < timeout
  }

  /**
   * True if a reconciliation that this node began is in progress. If many nodes share a processor,
   * answers take seconds, and more exchanges would slow all of them down.
   */
  #isBusy(): boolean {
    const { now } = this.#context
    for (const { isOwn, begun, heard } of this.#exchanges.values())
      if (isOwn && now - heard < oneAtATime && now - begun < longest) return true
    return false
  }

  linkLost(peer: NodeId): void {
    this.#exchanges.delete(peer)
  }

  /** Answers one message. Throws {@link FrameError} on invalid ranges. */
  receive(from: NodeId, { round, ranges }: wire.Reconcile): void {
    const { config, links, now } = this.#context
    const link = links.get(from)
    if (link === undefined) return
    link.entered = true
    const exchange = this.#exchanges.get(from)
    // Both sides began at the same time. Only the exchange of the lower id goes on, or everything
    // would be sent twice.
    if (round === 1 && exchange?.isOwn === true && exchange.round === 1 && this.#isAlive(exchange) && this.#context.id < from) return
    if (ranges.length === 0) {
      this.#ended(from)
      return
    }
    if (ranges.length > config.limits.rangesPerFrame)
      throw new FrameError(`a frame has at most ${config.limits.rangesPerFrame} ranges, not ${ranges.length}`)
    // The ranges must be in order and disjoint, so that no fact is requested twice.
    ranges.forEach(({ from: start, to }, i) => {
      if (!Number.isSafeInteger(start) || to > hashSpace || start < 0 || start >= to) throw new FrameError(`no range: ${start} to ${to}`)
      if (i > 0 && start < (ranges[i - 1] as wire.Range).to) throw new FrameError('ranges that overlap')
    })
    if (!mayAsk(this.#context, link)) return
    const page = new Page()
    const answer = this.#answers(ranges, page)
    page.send(this.#context, link, false)
    this.#context.send(from, { reconcile: { round: Math.min(round, 1_000_000) + 1, ranges: answer } })
    if (answer.length === 0) this.#ended(from)
    else if (round === 1 || exchange === undefined) this.#exchanges.set(from, { isOwn: false, begun: now, heard: now, round })
    else Object.assign(exchange, { heard: now, round })
  }

  #ended(peer: NodeId): void {
    const { now, services } = this.#context
    const exchange = this.#exchanges.get(peer)
    if (exchange?.isOwn === true) services.measure?.({ what: 'reconciliation', took: now - exchange.begun })
    this.#exchanges.delete(peer)
    this.#context.outcomes.push({ type: 'reconciled', peer })
  }

  #answers(ranges: readonly wire.Range[], page: Page): wire.Range[] {
    const { rangesPerFrame } = this.#context.config.limits
    const answer: wire.Range[] = []
    const end = (ranges.at(-1) as wire.Range).to
    for (const range of ranges) {
      // Keep room for the parts of one more range, and for the range that describes the rest.
      const isFull = page.isFull || answer.length + fanout >= rangesPerFrame
      const reached = isFull ? range.from : this.#answer(range, answer, page)
      if (reached === range.to) continue
      answer.push(this.#describe(reached, end, page))
      break
    }
    return answer
  }

  /**
   * Answers one range. Returns the position up to which it is answered: its end, or less if the
   * page is full.
   */
  #answer(range: wire.Range, answer: wire.Range[], page: Page): number {
    const { from, to } = range
    if (range.wanted.length > 0) return this.#send(range, page)
    if (range.listed) return this.#complete(range, answer, page)
    const mine = this.#context.facts.fingerprint(from, to)
    page.looked(1, 0)
    if (mine.count === range.count && equal(range.fingerprint, mine)) return to
    if (mine.count <= list || mine.count * imbalance <= range.count) return this.#list(from, to, answer, page)
    if (range.count <= list || range.count * imbalance <= mine.count) {
      answer.push(compare(from, to, mine))
      return to
    }
    const borders = this.#context.facts.split(from, to, fanout)
    // The range can't be split: all its facts are at one position.
    if (borders.length === 2) return this.#list(from, to, answer, page)
    for (let i = 1; i < borders.length; i++) answer.push(this.#describe(borders[i - 1] as number, borders[i] as number, page))
    return to
  }

  /** Sends the facts that the other side requests. */
  #send({ from, to, wanted }: wire.Range, page: Page): number {
    for (const { position } of unpack(wanted)) {
      if (position < from || position >= to) continue
      if (page.isFull) return position
      const facts = this.#context.facts.range(position, position + 1)
      page.looked(0, 1 + facts.length)
      for (const fact of facts) page.add(fact)
    }
    return to
  }

  /**
   * Compares with the other side's list. Sends the facts that the list lacks, and requests the
   * facts that this side lacks. If the page is full, it stops and returns the position of the first
   * fact that has no room. It requests nothing at or beyond that position.
   */
  #complete({ from, to, items }: wire.Range, answer: wire.Range[], page: Page): number {
    const facts = this.#context.facts.range(from, to)
    const theirs = new Map<number, number>()
    for (const { position, version } of unpack(items)) theirs.set(position, version)
    page.looked(1, facts.length + theirs.size)
    let reached = to
    for (const fact of facts) {
      if (theirs.get(fact.position) === fact.low) theirs.delete(fact.position)
      else if (page.isFull && page.facts.at(-1)?.position !== fact.position) {
        reached = fact.position
        break
      } else page.add(fact)
    }
    const wanted: Item[] = []
    for (const [position, version] of theirs) if (position < reached) wanted.push({ position, version })
    if (wanted.length > 0) answer.push({ ...bare(from, reached), wanted: pack(wanted) })
    return reached
  }

  /**
   * Describes a range of at most two facts by its items, and a larger range by its fingerprint. A
   * fingerprint is as long as three items.
   */
  #describe(from: number, to: number, page: Page): wire.Range {
    const mine = this.#context.facts.fingerprint(from, to)
    page.looked(1, 0)
    return mine.count <= 2
      ? { ...bare(from, to), listed: true, items: packFacts(this.#context.facts.range(from, to)) }
      : compare(from, to, mine)
  }

  #list(from: number, to: number, answer: wire.Range[], page: Page): number {
    const facts = this.#context.facts.range(from, to)
    const reached = facts[page.room]?.position ?? to
    if (reached === from) return from
    const listed = facts.length <= page.room ? facts : facts.slice(0, page.room)
    page.looked(0, facts.length)
    page.list(listed.length)
    answer.push({ ...bare(from, reached), listed: true, items: packFacts(listed) })
    return reached
  }
}

function compare(from: number, to: number, { count, high, low }: Fingerprint): wire.Range {
  const fingerprint = new Uint8Array(8)
  const view = new DataView(fingerprint.buffer)
  view.setUint32(0, high)
  view.setUint32(4, low)
  return { ...bare(from, to), count, fingerprint }
}

function bare(from: number, to: number): wire.Range {
  return { from, to, count: 0, fingerprint: none, items: none, wanted: none, listed: false }
}

function equal(theirs: Uint8Array, mine: { high: number; low: number }): boolean {
  if (theirs.length !== 8) throw new FrameError('a fingerprint has 8 bytes')
  const view = new DataView(theirs.buffer, theirs.byteOffset)
  return view.getUint32(0) === mine.high && view.getUint32(4) === mine.low
}
