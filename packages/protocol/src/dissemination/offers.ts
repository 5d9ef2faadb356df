/**
 * Offers: how the facts of a crowd travel along the links.
 *
 * A broadcast brings a fact to each node several times over, and the links of a grown pool are no tree, so what is handed on along them comes
 * from all sides. When many enter or leave at once, facts are therefore named first, eleven bytes each, to the links that are not known to
 * have them, and who lacks one asks one of those who named it (the lazy push of Plumtree, Leitão et al., SRDS'07). Whatever the graph is, each
 * fact crosses to each node once. Links lose nothing while they are up; what is lost with one is asked of somebody else, or found by
 * reconciliation.
 */
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickSome } from '../base/random.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Link } from '../context/links.ts'
import { memberKey, type Fact } from '../facts/fact.ts'
import { pack, packFacts, unpack, type Item } from '../facts/items.ts'

/** Peers remembered that offered what is asked of another already. Guess. */
const alternatives = 3

/** So many are told by somebody who leaves, beside young links. Guess: one may be leaving, too. */
const heirs = 2

interface Question {
  readonly version: number
  readonly peer: NodeId
  readonly since: Milliseconds
  /** Who offered it, too. */
  readonly others: readonly NodeId[]
}

export class Offers implements Timed {
  readonly #context: Context
  /** Facts to be offered, and who is known to have them. */
  readonly #news = new Map<string, { readonly fact: Fact; readonly knownBy: NodeId[] }>()
  #newsDue: Milliseconds = Infinity
  /** When batches were sent within the last second. */
  #batches: Milliseconds[] = []
  /** What was asked for, by position; the oldest question first. */
  readonly #asked = new Map<number, Question>()
  #parting = false

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    for (const { since } of this.#asked.values()) return Math.min(this.#newsDue, since + this.#context.config.offers.timeout)
    return this.#newsDue
  }

  /** Offer this soon to all but who told it. */
  add(fact: Fact, from: NodeId | undefined): void {
    const { now, config } = this.#context
    this.#news.set(fact.key, { fact, knownBy: from === undefined ? [] : [from] })
    if (this.#newsDue < Infinity) return
    const recent = this.#batches.filter((time) => now - time < 1_000).length
    const wait = config.offers.delay * Math.min(1 + recent, config.offers.slowdown)
    this.#newsDue = now + (this.#parting ? config.rumours.delay : wait)
  }

  /** This node leaves: there is no time for questions, so what it hears is soon told to a few who stay, whole. */
  part(): void {
    const { now, config } = this.#context
    this.#parting = true
    this.#asked.clear()
    this.#newsDue = Math.min(this.#newsDue, this.#news.size > 0 ? now + config.rumours.delay : Infinity)
  }

  /** Whether this fact was asked for; it has come, or a newer one in its place. */
  settle(fact: Fact): boolean {
    return this.#asked.delete(fact.position)
  }

  /** A peer names what it has. Throws {@link FrameError}. */
  receive(from: NodeId, bytes: Uint8Array): void {
    const wanted: Item[] = []
    for (const item of this.#read(bytes)) {
      const held = this.#find(item.position)
      if (held?.low === item.version) {
        const knownBy = this.#news.get(held.key)?.knownBy
        if (knownBy?.includes(from) === false) knownBy.push(from)
      } else if (this.#ask(from, item)) wanted.push(item)
    }
    this.#request(from, wanted)
  }

  /** A peer asks for what was offered. Throws {@link FrameError}. */
  answer(from: NodeId, bytes: Uint8Array): void {
    this.#context.answer(
      from,
      this.#read(bytes).flatMap(({ position }) => this.#find(position) ?? []),
      true,
    )
  }

  linkLost(peer: NodeId): void {
    const lost = [...this.#asked].filter((entry) => entry[1].peer === peer)
    this.#askOthers(lost)
  }

  due(): void {
    const { now, config } = this.#context
    if (now >= this.#newsDue) this.#offer()
    const late: [number, Question][] = []
    for (const entry of this.#asked) {
      if (now < entry[1].since + config.offers.timeout) break
      late.push(entry)
    }
    this.#askOthers(late)
  }

  #offer(): void {
    const { now, config } = this.#context
    const news = [...this.#news.values()]
    this.#news.clear()
    this.#newsDue = Infinity
    if (this.#parting) {
      for (const { peer } of this.#listeners(heirs)) {
        const facts = news.filter(({ knownBy }) => !knownBy.includes(peer)).map(({ fact }) => fact)
        this.#context.sendFacts(peer, facts, true)
      }
      return
    }
    this.#batches = [...this.#batches.filter((time) => now - time < 1_000), now]
    const listeners = this.#listeners(config.offers.fanout)
    // Before other links are built those of the newcomers are a tree, along which nothing comes twice: no need to ask first.
    const isTree = listeners.every(({ isEntry }) => isEntry)
    for (const { peer } of listeners) {
      const own = memberKey(peer)
      const facts = news.filter(({ fact, knownBy }) => !knownBy.includes(peer) && fact.key !== own).map(({ fact }) => fact)
      if (isTree) {
        this.#context.sendFacts(peer, facts, true)
        continue
      }
      const { factsPerFrame } = config.limits
      for (let i = 0; i < facts.length; i += factsPerFrame)
        this.#context.send(peer, { offer: { items: packFacts(facts.slice(i, i + factsPerFrame)) } })
    }
  }

  /** Young links may be the only ones of a newcomer; of the others some are enough. */
  #listeners(fanout: number): Link[] {
    const { links, now, config, view } = this.#context
    const open = [...links.values()].filter(({ peer, entered, referred }) => entered && !referred && view.get(peer) !== undefined)
    const isYoung = ({ since }: Link): boolean => now - since < config.links.settle
    const old = open.filter((link) => !isYoung(link))
    return [...open.filter(isYoung), ...pickSome(() => this.#context.random(), old, fanout)]
  }

  #ask(from: NodeId, { position, version }: Item): boolean {
    const question = this.#asked.get(position)
    if (question === undefined && this.#asked.size >= this.#context.config.limits.members) return false
    if (question?.version === version) {
      if (question.others.length < alternatives) this.#asked.set(position, { ...question, others: [...question.others, from] })
      return false
    }
    if (this.#asked.size >= this.#context.config.limits.members) return false
    this.#asked.delete(position) // the order is that of the questions
    this.#asked.set(position, { version, peer: from, since: this.#context.now, others: [] })
    return true
  }

  #askOthers(questions: readonly (readonly [number, Question])[]): void {
    const requests = new Map<NodeId, Item[]>()
    for (const [position, { version, others }] of questions) {
      this.#asked.delete(position)
      const peer = others.find((other) => this.#context.links.has(other))
      if (peer === undefined || this.#find(position)?.low === version) continue
      this.#asked.set(position, { version, peer, since: this.#context.now, others: others.filter((other) => other !== peer) })
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
