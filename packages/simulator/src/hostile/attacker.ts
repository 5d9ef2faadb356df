import {
  defaultConfig,
  ProtocolNode,
  type BroadcastVerdict,
  type Effect,
  type Fact,
  type Input,
  type Member,
  type Message,
  type Milliseconds,
  type NodeId,
  type Reign,
} from '@jel/protocol'
import type { Payload } from '../network/payload.ts'
import type { Protocol, ProtocolParts } from '../protocol/protocol.ts'
import { electionOf, encode, encodeBroadcast, factsIn, Words } from './words.ts'

/** The time between an attacker's turns, ms. */
const turnEvery: Milliseconds = 100

/** The attack that a hostile member carries out beside the protocol. */
export interface Attack {
  /** Receives an incoming message, also before the attack begins. */
  heard?(message: Message): void
  /** Runs ten times a second during the attack. */
  turn(attacker: Attacker): void
}

export interface AttackerOptions {
  readonly attack: Attack
  /** The beginning and end of the attack, ms from the attacker's start. */
  readonly from: Milliseconds
  readonly until: Milliseconds
  /** The ids of its victims. Empty: everybody. */
  readonly victims: readonly NodeId[]
}

/**
 * A member that follows the protocol and also carries out an attack. Its application receives no
 * notifications.
 */
export class Attacker implements Protocol {
  readonly words: Words
  readonly random: () => number
  readonly victims: readonly NodeId[]
  /** The peers with which it has a link. */
  readonly links = new Set<NodeId>()
  /** The elections that it has learned of. */
  readonly elections = new Set<string>()
  /** The number of its turns so far. */
  turns = 0
  /** The time of the present turn. */
  now: Milliseconds = 0
  readonly #node: ProtocolNode<Payload>
  readonly #parts: ProtocolParts
  readonly #options: AttackerOptions
  readonly #effects: Effect<Payload>[] = []
  #broadcasts = 0
  #startedAt: Milliseconds | undefined
  #nextTurn: Milliseconds = Infinity
  /** The time at which its honest part needs the timer. */
  #wakeAt: Milliseconds = Infinity

  /**
   * `node` is the honest part. A real host passes the node that it has created. Default: a new
   * node.
   */
  constructor(parts: ProtocolParts, options: AttackerOptions, node?: ProtocolNode<Payload>) {
    this.#parts = parts
    this.#options = options
    this.victims = options.victims
    this.random = () => parts.services.random()
    this.words = new Words(parts.pool, { id: parts.id, sign: (message) => parts.services.sign(message) }, parts.services)
    this.#node = node ?? new ProtocolNode<Payload>({ ...parts, config: defaultConfig })
  }

  get id(): NodeId {
    return this.#parts.id
  }

  /** The calendar time of the attacker. */
  get today(): Milliseconds {
    return Math.floor(this.#parts.services.today())
  }

  get self(): Member | undefined {
    return this.#node.self
  }

  members(): Member[] {
    return this.#node.members()
  }

  reign(election: string): Reign | undefined {
    return this.#node.reign(election)
  }

  /** Returns the members that it attacks. */
  targets(): Member[] {
    return this.members().filter(({ id }) => id !== this.id && (this.victims.length === 0 || this.victims.includes(id)))
  }

  send(to: NodeId, message: Message): void {
    this.#effects.push({ type: 'send', to, data: encode(message) })
  }

  /** Publishes facts on the pool's topic. */
  publish(facts: readonly Fact[]): void {
    this.#effects.push({ type: 'broadcast', data: encodeBroadcast(this.#broadcasts++, facts) })
  }

  /** Ends the link and opens it again. */
  reconnect({ id, addresses }: Member): void {
    this.#effects.push({ type: 'disconnect', peer: id, reason: 'anew' }, { type: 'connect', peer: id, addresses })
  }

  /** Announces these addresses as its own. */
  move(addresses: Member['addresses'], now: Milliseconds): void {
    this.#effects.push(...this.#own(this.#node.handle({ type: 'addresses', addresses }, now)))
  }

  handle(input: Input<Payload>, now: Milliseconds): Effect<Payload>[] {
    if (input.type === 'start') {
      this.#startedAt = now
      this.#nextTurn = now + this.#options.from
    } else if (input.type === 'connected') this.links.add(input.peer)
    else if (input.type === 'disconnected') this.links.delete(input.peer)
    else if (input.type === 'frame') this.#listen(this.#parts.services.codec?.decodeFrame(input.data))
    const isOwn = input.type !== 'timer' || now >= this.#wakeAt
    if (input.type === 'timer' && isOwn) this.#wakeAt = Infinity
    const effects = isOwn ? this.#own(this.#node.handle(input, now)) : []
    if (now >= this.#nextTurn) {
      this.turns += 1
      this.now = now
      this.#options.attack.turn(this)
      this.#nextTurn = now - (this.#startedAt ?? now) < this.#options.until ? now + turnEvery : Infinity
    }
    return this.#withTimer([...effects, ...this.#effects.splice(0)])
  }

  handleBroadcast(data: Payload, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Payload>[] } {
    const batch = this.#parts.services.codec?.decodeBroadcast(data)
    if (batch !== undefined) this.#listen({ facts: { facts: batch.facts, fresh: true } })
    const { verdict, effects } = this.#node.handleBroadcast(data, now)
    return { verdict, effects: this.#withTimer(this.#own(effects)) }
  }

  #listen(message: Message | undefined): void {
    if (message === undefined) return
    for (const { fact } of factsIn(message)) {
      const election = electionOf(fact)
      if (election !== undefined) this.elections.add(election)
    }
    this.#options.attack.heard?.(message)
  }

  #own(effects: readonly Effect<Payload>[]): Effect<Payload>[] {
    return effects.filter((effect) => {
      if (effect.type === 'timer') this.#wakeAt = effect.at
      return effect.type !== 'timer' && effect.type !== 'notify'
    })
  }

  #withTimer(effects: Effect<Payload>[]): Effect<Payload>[] {
    const at = Math.min(this.#wakeAt, this.#nextTurn)
    return at === Infinity ? effects : [...effects, { type: 'timer', at }]
  }
}
