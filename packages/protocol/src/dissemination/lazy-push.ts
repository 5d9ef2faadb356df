/**
 * Lazy push: carries facts along the links in a surge, when many members enter or leave at once.
 *
 * A broadcast brings a fact to each node several times. Along links, too, a fact would arrive
 * several times: the links of a larger pool form no tree. So in a surge a node first offers facts
 * by name, eleven bytes each. A peer that lacks a fact requests it from one of the nodes that
 * offered it (IHAVE and IWANT, the lazy push of Plumtree, Leitão et al., SRDS'07). So in most cases
 * each fact reaches each node once, in any graph. A link that is up loses no frame. If a link
 * breaks, the node asks another peer. Reconciliation finds the facts that get lost all the same,
 * for example if a peer offered more than its budget allows.
 */
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { pickSome } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import { settleTime, type Link } from '../context/links.ts'
import { memberKey, type Fact } from '../facts/fact.ts'
import { pack, packFacts, unpack, type Item } from '../facts/items.ts'
import { factsPerRange, mayAsk, Page } from './page.ts'

/** Each hop gathers facts for this time, ms. Guess. */
const gather = 100
/**
 * A request without an answer goes to another peer after this time, ms. Guess: longer than an
 * answer takes. An answer is one full page at most. It takes two seconds on a link of 1 Mbit/s
 * (`pageBytes`).
 */
export const askAgain = 3_000
/**
 * Number of links older than `settleTime` that get each batch of offers. All younger links get it,
 * too. Guess: as many as the usual mesh of gossipsub has.
 */
const fanout = 6
/** For each requested fact a node remembers this many other peers that offered it. Guess. */
const alternatives = 3
/**
 * The largest number of facts requested from one peer at a time. Other peers and reconciliation
 * supply the rest. So false offers of one peer do not block requests to other peers.
 */
export const askedOfOne = 4_096

/**
 * Number of links older than `settleTime` over which a leaver sends facts. Guess: one of the two
 * peers may leave as well.
 */
const successors = 2
/**
 * A leaver gathers facts for this time, ms. Guess: as long as its broadcaster gathers news (`delay`
 * in `broadcaster.ts`).
 */
const leavingGather = 20

interface Question {
  /** The peer that got the request. */
  readonly peer: NodeId
  readonly version: number
  readonly since: Milliseconds
  /** Other peers that offered the fact. */
  readonly others: NodeId[]
}

export class LazyPush implements Timed {
  readonly #context: Context
  /** Facts to offer, each with the peers known to have it. */
  readonly #news = new Map<string, { readonly fact: Fact; readonly knownBy: NodeId[] }>()
  #newsDue: Milliseconds = Infinity
  /**
   * Open requests by peer, then by the position of the fact (the hash of its key). The oldest
   * request of each peer comes first.
   */
  readonly #asked = new Map<NodeId, Map<number, Question>>()
  /** The same requests by position. A position has at most one request for each version. */
  readonly #byPosition = new Map<number, readonly Question[]>()

  #isLeaving = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Offers a fact soon to peers that perhaps lack it. */
  add(fact: Fact, from: NodeId | undefined): void {
    this.#news.set(fact.key, { fact, knownBy: from === undefined ? [] : [from] })
    this.#newsDue = Math.min(this.#newsDue, this.#context.now + (this.#isLeaving ? leavingGather : gather))
    this.#arm()
  }

  /**
   * Prepares for this node's leave. Offers and requests would take too long. So this node sends
   * whole facts, without an offer, over its young links and a few older links.
   */
  leave(): void {
    this.#isLeaving = true
    this.#asked.clear()
    this.#byPosition.clear()
    if (this.#news.size > 0) this.#newsDue = Math.min(this.#newsDue, this.#context.now + leavingGather)
    this.#arm()
  }

  /** A fact has arrived. Closes the open requests for it, for all versions. */
  received({ position }: Fact): void {
    if (this.#asked.size === 0) return
    for (const question of this.#byPosition.get(position) ?? []) this.#close(position, question)
    this.#arm()
  }

  /** Handles an offer. Throws {@link FrameError}. */
  receive(from: NodeId, bytes: Uint8Array): void {
    const link = this.#context.links.get(from)
    const items = this.#read(bytes)
    if (link === undefined || !mayAsk(this.#context, link)) return
    this.#context.charge(link, 'work', items.length / factsPerRange)
    const wanted: Item[] = []
    for (const item of items) {
      const held = this.#find(item.position)
      if (held?.low === item.version) {
        const knownBy = this.#news.get(held.key)?.knownBy
        if (knownBy?.includes(from) === false) knownBy.push(from)
      } else if (this.#isToAsk(from, item)) wanted.push(item)
    }
    this.#request(from, wanted)
    this.#arm()
  }

  /**
   * Answers a request for offered facts with one page of facts, and offers the rest again. Throws
   * {@link FrameError}.
   */
  answer(from: NodeId, bytes: Uint8Array): void {
    const link = this.#context.links.get(from)
    const items = this.#read(bytes)
    if (link === undefined || !mayAsk(this.#context, link)) return
    const page = new Page()
    const left: Fact[] = []
    for (const { position } of items) {
      const fact = this.#find(position)
      if (fact !== undefined && page.isFull) left.push(fact)
      else if (fact !== undefined) page.add(fact)
    }
    page.looked(0, items.length)
    page.send(this.#context, link, true)
    if (left.length > 0) this.#context.send(from, { offer: { items: packFacts(left) } })
  }

  linkLost(peer: NodeId): void {
    const questions = this.#asked.get(peer)
    const lost = questions === undefined ? [] : [...questions]
    for (const [position, question] of lost) this.#close(position, question)
    this.#askOthers(lost)
    this.#arm()
  }

  due(): void {
    const { now } = this.#context
    if (now >= this.#newsDue) this.#offer()
    const late: [number, Question][] = []
    for (const questions of this.#asked.values()) {
      for (const entry of questions) {
        if (now < entry[1].since + askAgain) break
        late.push(entry)
        this.#close(...entry)
      }
    }
    this.#askOthers(late)
    this.#arm()
  }

  #arm(): void {
    let next = this.#newsDue
    for (const questions of this.#asked.values()) {
      const [oldest] = questions.values()
      if (oldest !== undefined) next = Math.min(next, oldest.since + askAgain)
    }
    this.#context.timers.set('lazyPush', next)
  }

  #offer(): void {
    const { config } = this.#context
    const news = [...this.#news.values()]
    this.#news.clear()
    this.#newsDue = Infinity
    const listeners = this.#listeners(this.#isLeaving ? successors : fanout)
    // The links over which nodes entered the pool form a tree, and nothing arrives twice on a tree.
    // If all receivers are at the ends of such links, this node sends whole facts, without an
    // offer.
    const isWhole = this.#isLeaving || listeners.every(({ isEntry }) => isEntry)
    for (const { peer } of listeners) {
      const own = memberKey(peer)
      const facts = news.filter(({ fact, knownBy }) => !knownBy.includes(peer) && fact.key !== own).map(({ fact }) => fact)
      if (isWhole) {
        this.#context.sendFacts(peer, facts, true)
        continue
      }
      const { factsPerFrame } = config.limits
      for (let i = 0; i < facts.length; i += factsPerFrame)
        this.#context.send(peer, { offer: { items: packFacts(facts.slice(i, i + factsPerFrame)) } })
    }
  }

  /** Returns all young links and some older ones. A young link may be a newcomer's only one. */
  #listeners(count: number): Link[] {
    const { links, now, view } = this.#context
    const open = [...links.values()].filter(({ peer, entered, redirected }) => entered && !redirected && view.get(peer) !== undefined)
    const isYoung = ({ since }: Link): boolean => now - since < settleTime
    const old = open.filter((link) => !isYoung(link))
    return [...open.filter(isYoung), ...pickSome(() => this.#context.random(), old, count)]
  }

  #isToAsk(from: NodeId, { position, version }: Item): boolean {
    const question = this.#byPosition.get(position)?.find((each) => each.version === version)
    if (question === undefined) return this.#note(position, { peer: from, version, since: this.#context.now, others: [] })
    // The peer got this request and offers the fact again, so its answer had no room for the fact.
    if (question.peer === from) return true
    if (question.others.length < alternatives && !question.others.includes(from)) question.others.push(from)
    return false
  }

  /** Notes a request. Returns false if its peer has too many open requests. */
  #note(position: number, question: Question): boolean {
    const questions = this.#asked.get(question.peer) ?? new Map<number, Question>()
    const former = questions.get(position)
    if (former !== undefined) this.#unlist(position, former)
    // A map keeps the old place of a known key, and a new request belongs at the end.
    questions.delete(position)
    if (questions.size >= askedOfOne) return false
    questions.set(position, question)
    this.#asked.set(question.peer, questions)
    this.#byPosition.set(position, [...(this.#byPosition.get(position) ?? []), question])
    return true
  }

  #close(position: number, question: Question): void {
    const questions = this.#asked.get(question.peer)
    questions?.delete(position)
    if (questions?.size === 0) this.#asked.delete(question.peer)
    this.#unlist(position, question)
  }

  #unlist(position: number, question: Question): void {
    const others = this.#byPosition.get(position)?.filter((each) => each !== question) ?? []
    if (others.length === 0) this.#byPosition.delete(position)
    else this.#byPosition.set(position, others)
  }

  #askOthers(questions: readonly (readonly [number, Question])[]): void {
    const { links, now } = this.#context
    const requests = new Map<NodeId, Item[]>()
    for (const [position, { version, others }] of questions) {
      const peer = others.find((other) => links.has(other))
      if (peer === undefined || this.#find(position)?.low === version) continue
      if (!this.#note(position, { peer, version, since: now, others: others.filter((other) => other !== peer) })) continue
      const request = requests.get(peer) ?? []
      requests.set(peer, request)
      request.push({ position, version })
    }
    for (const [peer, items] of requests) this.#request(peer, items)
  }

  #request(peer: NodeId, items: readonly Item[]): void {
    const { factsPerFrame } = this.#context.config.limits
    for (let i = 0; i < items.length; i += factsPerFrame)
      this.#context.send(peer, { want: { items: pack(items.slice(i, i + factsPerFrame)) } })
  }

  #read(bytes: Uint8Array): Item[] {
    const { factsPerFrame } = this.#context.config.limits
    const items = unpack(bytes)
    if (items.length > factsPerFrame) throw new FrameError(`an offer or request has at most ${factsPerFrame} items, not ${items.length}`)
    if (items.some(({ position }) => position >= hashSpace)) throw new FrameError('an item outside of the space of positions')
    return items
  }

  /**
   * Two facts have one position only if somebody chose their names so. Then this returns the first
   * one, and reconciliation sends the others.
   */
  #find(position: number): Fact | undefined {
    return this.#context.facts.ranges.atPosition(position)
  }
}
