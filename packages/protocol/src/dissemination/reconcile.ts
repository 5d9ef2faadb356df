/**
 * Reconciliation: two nodes make their fact sets equal, for bytes in proportion to the difference (range-based set reconciliation,
 * Meyer 2022, over fingerprints of position ranges).
 *
 * One says the fingerprint of everything. Equal: a small answer, done; that is the usual case, and it makes an idle pool cheap. Different: a short
 * range, or one of which one side has hardly anything, is answered by the list of its items, any other by the fingerprints of its parts. Against a list the other sends
 * what is missing there and asks for what it lacks itself. Each message is answered by exactly one until one has no ranges, so neither
 * side keeps state for the other beyond a count of rounds. A newcomer, whose whole state is a short range, gets the pool in one
 * round trip this way.
 *
 * The interval between reconciliations with a random link shortens when something changes and doubles while nothing does. One follows the other: a
 * second begins beside a first only where that one takes long, as its peer may be gone.
 */
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickOne } from '../base/random.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Fact } from '../facts/fact.ts'
import type { Fingerprint } from '../facts/facts.ts'
import { pack, packFacts, unpack } from '../facts/items.ts'
import type * as wire from '../wire/messages.js'

/** How soon a change makes a node look around: the setting for each cause. */
const intervals = { broadcast: 'afterBroadcast', crowd: 'inCrowd', other: 'min' } as const

const none = new Uint8Array(0)

export class Reconciler implements Timed {
  readonly #context: Context
  readonly #onCompleted: (peer: NodeId) => void
  /** Reconciliations under way that this node began: when. */
  readonly #open = new Map<NodeId, Milliseconds>()
  /** Peers with which something was left out on the way. */
  readonly #partial = new Set<NodeId>()
  #interval: Milliseconds
  #nextDue = Infinity
  #lastCompleted: Milliseconds | undefined

  constructor(context: Context, onCompleted: (peer: NodeId) => void) {
    this.#context = context
    this.#onCompleted = onCompleted
    this.#interval = context.config.reconciliation.min
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  get lastCompleted(): Milliseconds | undefined {
    return this.#lastCompleted
  }

  /** Something changed: look around soon. */
  quicken(cause: keyof typeof intervals): void {
    const { config, view } = this.#context
    const { reconciliation } = config
    const size = cause === 'other' ? 1 : view.size / reconciliation.afterBroadcastMembers
    const wanted = reconciliation[intervals[cause]] * Math.min(Math.max(size, 1), 8)
    this.#interval = Math.min(this.#interval, wanted)
    this.#nextDue = Math.min(this.#nextDue, this.#context.now + this.#context.jitter(this.#interval))
  }

  due(): void {
    const { now, config, links } = this.#context
    if (now < this.#nextDue) return
    for (const [peer, since] of this.#open) if (now - since > config.reconciliation.timeout) this.#open.delete(peer)
    const peers = [...links.values()]
      .filter((link) => link.entered && !link.referred && !this.#open.has(link.peer))
      .map((link) => link.peer)
    const peer = this.#isBusy() ? undefined : pickOne(() => this.#context.random(), peers)
    if (peer !== undefined) this.begin(peer)
    this.#nextDue = now + this.#context.jitter(this.#interval)
    this.#interval = Math.min(config.reconciliation.max, this.#interval * 2)
  }

  /** Starts one with this peer, unless one is under way. */
  begin(peer: NodeId): void {
    const { now, config } = this.#context
    const since = this.#open.get(peer)
    if (since !== undefined && now - since < config.reconciliation.timeout) return
    this.#open.set(peer, now)
    this.#context.send(peer, { reconcile: { round: 1, ranges: [this.#describe(0, hashSpace)] } })
  }

  /** One is under way. Where answers take seconds, as many nodes share a processor, others begun meanwhile would make them take longer yet. */
  #isBusy(): boolean {
    const { now, config } = this.#context
    return [...this.#open.values()].some((since) => now - since < config.reconciliation.patience)
  }

  linkLost(peer: NodeId): void {
    this.#open.delete(peer)
    this.#partial.delete(peer)
  }

  /** Answers one message. Throws {@link FrameError} on ranges that make no sense. */
  receive(from: NodeId, { round, ranges, partial }: wire.Reconcile): void {
    const { config, links } = this.#context
    if (round > config.reconciliation.rounds) throw new FrameError(`a reconciliation takes at most ${config.reconciliation.rounds} rounds`)
    const link = links.get(from)
    if (link !== undefined) link.entered = true
    if (round === 1 && this.#open.has(from)) {
      // Both began at the same time: the lower id's goes on, or everything would be told twice.
      if (this.#context.id < from) return
      this.#open.delete(from)
    }
    if (partial === true) this.#partial.add(from)
    if (ranges.length === 0) {
      this.#ended(from)
      return
    }
    if (ranges.length > config.limits.rangesPerFrame)
      throw new FrameError(`a frame has at most ${config.limits.rangesPerFrame} ranges, not ${ranges.length}`)
    // In order and apart, so that nothing is asked for twice: an answer is never longer than the whole state.
    ranges.forEach(({ from: start }, i) => {
      if (i > 0 && start < (ranges[i - 1] as wire.Range).to) throw new FrameError('ranges that overlap')
    })
    const answer: wire.Range[] = []
    const missing: Fact[] = []
    for (const range of ranges) this.#answer(range, answer, missing)
    this.#context.answer(from, membersFirst(missing), false)
    const isCut = answer.length > config.limits.rangesPerFrame
    if (isCut) this.#partial.add(from)
    const reply = { round: round + 1, ranges: answer.slice(0, config.limits.rangesPerFrame) }
    this.#context.send(from, { reconcile: isCut ? { ...reply, partial: true } : reply })
    if (answer.length === 0) this.#ended(from)
  }

  #ended(peer: NodeId): void {
    const isMine = this.#open.delete(peer)
    if (this.#partial.delete(peer)) {
      if (isMine) this.begin(peer)
      return
    }
    this.#lastCompleted = this.#context.now
    this.#context.wholeSince = Math.min(this.#context.wholeSince, this.#context.now)
    this.#onCompleted(peer)
  }

  #answer(range: wire.Range, answer: wire.Range[], missing: Fact[]): void {
    const { facts, config } = this.#context
    const { from, to } = range
    if (!Number.isSafeInteger(from) || to > hashSpace || from < 0 || from >= to) throw new FrameError(`no range: ${from} to ${to}`)
    if (range.wanted.length > 0) {
      const wanted = new Set<number>()
      for (const { position } of unpack(range.wanted)) wanted.add(position)
      for (const fact of facts.range(from, to)) if (wanted.has(fact.position)) missing.push(fact)
      return
    }
    if (range.listed) {
      const theirs = new Map<number, number>()
      for (const { position, version } of unpack(range.items)) theirs.set(position, version)
      for (const fact of facts.range(from, to)) {
        if (theirs.get(fact.position) !== fact.low) missing.push(fact)
        else theirs.delete(fact.position)
      }
      if (theirs.size > 0)
        answer.push({ ...bare(from, to), wanted: pack([...theirs].map(([position, version]) => ({ position, version }))) })
      return
    }
    const mine = facts.fingerprint(from, to)
    if (mine.count === range.count && equal(range.fingerprint, mine)) return
    const { list, imbalance } = config.reconciliation
    if (mine.count <= list || mine.count * imbalance <= range.count) answer.push(this.#list(from, to))
    else if (range.count <= list || range.count * imbalance <= mine.count) answer.push(compare(from, to, mine))
    else {
      const borders = facts.split(from, to, config.reconciliation.fanout)
      for (let i = 1; i < borders.length; i++) answer.push(this.#describe(borders[i - 1] as number, borders[i] as number))
    }
  }

  /** A very short range by its items, any other by its fingerprint, which is as long as three of them. */
  #describe(from: number, to: number): wire.Range {
    const mine = this.#context.facts.fingerprint(from, to)
    return mine.count <= 2 ? this.#list(from, to) : compare(from, to, mine)
  }

  #list(from: number, to: number): wire.Range {
    return { ...bare(from, to), listed: true, items: packFacts(this.#context.facts.range(from, to)) }
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

/** Candidacies and claims mean nothing to somebody who does not know the member yet. */
function membersFirst(facts: readonly Fact[]): Fact[] {
  const isMember = ({ key }: Fact): boolean => key.startsWith('m')
  return [...facts.filter(isMember), ...facts.filter((fact) => !isMember(fact))]
}
