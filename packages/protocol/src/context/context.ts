/**
 * What the parts of a node share: its identity, its knowledge, the time of the current input, and the effects gathered so far.
 */
import type { Config } from '../base/config.ts'
import type { Effect, Encoded, Milliseconds, NodeId, Notification, WarningCode } from '../base/io.ts'
import type { Fact } from '../facts/fact.ts'
import { FactSet } from '../facts/facts.ts'
import { Registry } from '../facts/registry.ts'
import { StatementCodec } from '../facts/statement.ts'
import { View } from '../facts/membership-view.ts'
import type { Codec } from '../frames/codec.ts'
import { isUrgent, type Message } from '../frames/message.ts'
import { ProtobufCodec } from '../frames/protobuf-codec.ts'
import { factBytes } from '../frames/size.ts'
import { Budgets, type AtOnce, type Cost } from './budgets.ts'
import type { Link, Links } from './links.ts'
import type { Outcome } from './outcomes.ts'
import type { Services } from './services.ts'

export interface ContextOptions<Data extends Encoded = Uint8Array> {
  readonly id: NodeId
  readonly pool: string
  readonly config: Config
  readonly services: Services<Data>
}

/** `Data`: how messages travel, which only {@link wire} knows. */
export class Context<Data extends Encoded = Encoded> {
  readonly id: NodeId
  readonly pool: string
  readonly config: Config
  readonly services: Services<Data>
  readonly codec: StatementCodec
  readonly wire: Codec<Data>
  readonly facts: FactSet
  readonly view: View
  readonly links: Links = new Map()
  readonly budgets: Budgets
  /** Time of the input being handled. */
  now: Milliseconds = 0
  /** When a reconciliation was completed first; Infinity: none was, this node is new in the pool. */
  wholeSince: Milliseconds = Infinity
  /** When one was completed last. */
  lastReconciliation: Milliseconds | undefined
  /** When this node's present life began. */
  bornAt: Milliseconds = 0
  /** When this process entered the pool first; undefined: it has not. */
  enteredAt: Milliseconds | undefined
  /** Introducers were given and no member was reached yet: the pool is elsewhere, so nothing is to be decided in its name. */
  isUnintroduced = false
  effects: Effect<Data>[] = []
  /** What waits to be settled by the node. */
  outcomes: Outcome[] = []

  constructor({ id, pool, config, services }: ContextOptions<Data>) {
    this.id = id
    this.pool = pool
    this.config = config
    this.services = services
    this.codec = new StatementCodec(pool, services)
    // Without a codec of the runner's, `Data` is bytes.
    this.wire = services.codec ?? (new ProtobufCodec(config.limits) as Codec<Encoded> as Codec<Data>)
    this.facts = new FactSet(services.registry ?? new Registry(), factBytes)
    this.view = new View(this.facts, config)
    this.budgets = new Budgets((peer) => this.view.wasMember(peer))
  }

  /** How long ago this process entered the pool first, ms; 0 before. */
  get age(): Milliseconds {
    return this.enteredAt === undefined ? 0 : this.now - this.enteredAt
  }

  /** A reconciliation was completed: this is no longer a newcomer. */
  get isWhole(): boolean {
    return this.wholeSince < Infinity
  }

  /** True for a node that is new in the pool, which is told all of it at once. */
  get isCredulous(): boolean {
    return !this.isWhole || this.age < this.config.limits.credulity
  }

  random(): number {
    return this.services.random()
  }

  /** A span between half and one and a half of this one, so that nodes don't march in step. */
  jitter(span: Milliseconds): Milliseconds {
    return span * (0.5 + this.random())
  }

  send(to: NodeId, message: Message): void {
    if (!this.links.has(to)) return
    const data = this.wire.encodeFrame(message)
    this.effects.push(isUrgent(message) ? { type: 'send', to, data, urgent: true } : { type: 'send', to, data })
  }

  /** Sends facts, as many frames as they need. `fresh`: to be passed on. */
  sendFacts(to: NodeId, facts: readonly Fact[], fresh: boolean): void {
    const { chunkBytes, factsPerFrame } = this.config.limits
    let start = 0
    let bytes = 0
    for (let i = 0; i < facts.length; i++) {
      bytes += factBytes(facts[i] as Fact)
      const isLast = i === facts.length - 1
      if (!isLast && bytes < chunkBytes && i + 1 - start < factsPerFrame) continue
      this.send(to, { facts: { facts: facts.slice(start, i + 1).map((fact) => this.facts.told(fact, this.now)), fresh } })
      start = i + 1
      bytes = 0
    }
  }

  /**
   * Charges a peer for what it costs. Where that is more than its share, no more of its frames are read until it has made up for it. False: it has
   * gone far beyond, as a host that holds nothing back lets it: don't serve it.
   */
  charge(link: Link, cost: Cost, amount = 1, atOnce?: AtOnce): boolean {
    const wait = this.budgets.charge(link, cost, this.now, amount, atOnce)
    if (wait === Infinity) return false
    const until = Math.ceil(this.now + wait)
    if (wait > 0 && until > link.pausedUntil) {
      link.pausedUntil = until
      this.effects.push({ type: 'pause', peer: link.peer, until })
    }
    return true
  }

  /** Asks for a link to a member. */
  connect(id: NodeId): void {
    const member = this.view.get(id)
    if (member !== undefined) this.effects.push({ type: 'connect', peer: id, addresses: member.addresses })
  }

  /** Closes a link that nobody needs. */
  closeLink(peer: NodeId, reason: string): void {
    const link = this.links.get(peer)
    if (link === undefined) return
    link.goodbye = true // or its end would raise a suspicion, and a new link
    this.send(peer, { goodbye: { reason } })
    this.effects.push({ type: 'disconnect', peer, reason })
  }

  notify(notification: Notification): void {
    this.effects.push({ type: 'notify', notification })
  }

  warn(code: WarningCode, message: string): void {
    this.notify({ type: 'warning', code, message })
  }
}

/** A part that needs to be woken. */
export interface Timed {
  /** When `due` wants to be called next; Infinity for not at all. */
  readonly nextDue: Milliseconds
  due(): void
}
