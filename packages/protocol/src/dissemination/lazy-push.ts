/**
 * Lazy push: how the facts of a surge travel along the links.
 *
 * A broadcast brings a fact to each node several times over, and the links of a grown pool are no tree, so what is handed on along them comes
 * from all sides. When many enter or leave at once, facts are therefore named first, eleven bytes each, to the links that are not known to
 * have them, and who lacks one asks one of those who named it (IHAVE and IWANT, the lazy push of Plumtree, Leitão et al., SRDS'07). Whatever the
 * graph is, each fact crosses to each node once. Links lose nothing while they are up; what is lost with one is asked of somebody else, or
 * found by reconciliation.
 */
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickSome } from '../base/random.ts'
import type { Context, Timed } from '../context/context.ts'
import { settleTime, type Link } from '../context/links.ts'
import { memberKey, type Fact } from '../facts/fact.ts'
import { pack, packFacts, unpack, type Item } from '../facts/items.ts'
import { mayAsk, Page } from './page.ts'

/** They are gathered for this long at each hop, ms. Guess. */
const gather = 100
/** What was asked for and has not come is asked of somebody else after this, ms. Guess: 130 KB through a link of 1 Mbit/s take one second. */
export const askAgain = 3_000
/** Of the links that are not young so many hear of each batch. Guess: as many as a gossip mesh. */
const fanout = 6
/** Peers remembered that offered what is asked of another already. Guess. */
const alternatives = 3
/** Facts asked of one peer at a time. What it names beyond is left to others and to reconciliation, so lies keep nothing from being asked of others. */
export const askedOfOne = 4_096

/** So many are told by somebody who leaves, beside young links. Guess: one may be leaving, too. */
const successors = 2
/** Who leaves gathers for this long, ms. */
const leavingGather = 20

interface Question {
  readonly version: number
  readonly since: Milliseconds
  /** Who offered it, too. */
  readonly others: NodeId[]
}

export class LazyPush implements Timed {
  readonly #context: Context
  /** Facts to be offered, and who is known to have them. */
  readonly #news = new Map<string, { readonly fact: Fact; readonly knownBy: NodeId[] }>()
  #newsDue: Milliseconds = Infinity
  /** What was asked for, by whom it is asked of and position; the oldest question of each first. */
  readonly #asked = new Map<NodeId, Map<number, Question>>()

  #isLeaving = false

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    let next = this.#newsDue
    for (const questions of this.#asked.values())
      for (const { since } of questions.values()) {
        next = Math.min(next, since + askAgain)
        break
      }
    return next
  }

  /** Offer this soon to all but who told it. */
  add(fact: Fact, from: NodeId | undefined): void {
    this.#news.set(fact.key, { fact, knownBy: from === undefined ? [] : [from] })
    this.#newsDue = Math.min(this.#newsDue, this.#context.now + (this.#isLeaving ? leavingGather : gather))
  }

  /** This node leaves: there is no time for questions, so what it hears is soon told to a few who stay, whole. */
  leave(): void {
    this.#isLeaving = true
    this.#asked.clear()
    if (this.#news.size > 0) this.#newsDue = Math.min(this.#newsDue, this.#context.now + leavingGather)
  }

  /** It has come: nobody needs to be asked for it. */
  received({ position }: Fact): void {
    for (const [peer, questions] of this.#asked) if (questions.delete(position) && questions.size === 0) this.#asked.delete(peer)
  }

  /** A peer names what it has. Throws {@link FrameError}. */
  receive(from: NodeId, bytes: Uint8Array): void {
    const wanted: Item[] = []
    for (const item of this.#read(bytes)) {
      const held = this.#find(item.position)
      if (held?.low === item.version) {
        const knownBy = this.#news.get(held.key)?.knownBy
        if (knownBy?.includes(from) === false) knownBy.push(from)
      } else if (this.#isToAsk(from, item)) wanted.push(item)
    }
    this.#request(from, wanted)
  }

  /** A peer asks for what was offered: it gets a page of it, and the rest is offered again. Throws {@link FrameError}. */
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
    this.#asked.delete(peer)
    if (questions !== undefined) this.#askOthers([...questions])
  }

  due(): void {
    const { now } = this.#context
    if (now >= this.#newsDue) this.#offer()
    const late: [number, Question][] = []
    for (const [peer, questions] of this.#asked) {
      for (const entry of questions) {
        if (now < entry[1].since + askAgain) break
        late.push(entry)
        questions.delete(entry[0])
      }
      if (questions.size === 0) this.#asked.delete(peer)
    }
    this.#askOthers(late)
  }

  #offer(): void {
    const { config } = this.#context
    const news = [...this.#news.values()]
    this.#news.clear()
    this.#newsDue = Infinity
    const listeners = this.#listeners(this.#isLeaving ? successors : fanout)
    // Before other links are built those of the newcomers are a tree, along which nothing comes twice: no need to ask first.
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

  /** Young links may be the only ones of a newcomer; of the others some are enough. */
  #listeners(count: number): Link[] {
    const { links, now, view } = this.#context
    const open = [...links.values()].filter(({ peer, entered, referred }) => entered && !referred && view.get(peer) !== undefined)
    const isYoung = ({ since }: Link): boolean => now - since < settleTime
    const old = open.filter((link) => !isYoung(link))
    return [...open.filter(isYoung), ...pickSome(() => this.#context.random(), old, count)]
  }

  #isToAsk(from: NodeId, { position, version }: Item): boolean {
    for (const [peer, questions] of this.#asked) {
      const question = questions.get(position)
      if (question?.version !== version) continue
      // Who was asked and offers it again had no room for it in its answer.
      if (peer === from) return true
      if (question.others.length < alternatives && !question.others.includes(from)) question.others.push(from)
      return false
    }
    return this.#note(from, position, { version, since: this.#context.now, others: [] })
  }

  /** False if so much is asked of this peer already. */
  #note(peer: NodeId, position: number, question: Question): boolean {
    const questions = this.#asked.get(peer) ?? new Map<number, Question>()
    questions.delete(position) // the order is that of the questions
    if (questions.size >= askedOfOne) return false
    questions.set(position, question)
    this.#asked.set(peer, questions)
    return true
  }

  #askOthers(questions: readonly (readonly [number, Question])[]): void {
    const { links, now } = this.#context
    const requests = new Map<NodeId, Item[]>()
    for (const [position, { version, others }] of questions) {
      const peer = others.find((other) => links.has(other))
      if (peer === undefined || this.#find(position)?.low === version) continue
      if (!this.#note(peer, position, { version, since: now, others: others.filter((other) => other !== peer) })) continue
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
    if (items.length > factsPerFrame) throw new FrameError(`an offer has at most ${factsPerFrame} items, not ${items.length}`)
    if (items.some(({ position }) => position >= hashSpace)) throw new FrameError('an item outside of the space of positions')
    return items
  }

  /** Two facts at one position are as good as impossible; reconciliation would tell the other. */
  #find(position: number): Fact | undefined {
    return this.#context.facts.atPosition(position)
  }
}
