/**
 * The shared state of a node's parts: its identity, its knowledge, the time of the current input,
 * and the effects collected so far.
 */
import { Timers } from '@jel/machine'
import type { Config } from '../base/config.ts'
import type { Effect } from '../base/effect.ts'
import type { Notification, WarningCode } from '../base/notification.ts'
import type { Encoded, Milliseconds, NodeId } from '../base/values.ts'
import type { Fact } from '../facts/fact.ts'
import { FactSet } from '../facts/fact-set.ts'
import { Registry } from '../facts/registry.ts'
import { StatementCodec } from '../facts/statement-codec.ts'
import { View } from '../facts/membership-view.ts'
import type { Codec } from '../frames/codec.ts'
import { isUrgent, type Message } from '../frames/message.ts'
import { ProtobufCodec } from '../frames/protobuf-codec.ts'
import { factBytes } from '../frames/encoded-size.ts'
import { Budgets, type AtOnce } from './budgets.ts'
import type { Link, Links } from './links.ts'
import type { Outcome } from './outcomes.ts'
import type { Services } from './services.ts'
import { timerNames, type TimerName } from './timers.ts'
import type { Cost } from './token-buckets.ts'

export interface ContextOptions<Data extends Encoded = Uint8Array> {
  readonly id: NodeId
  readonly pool: string
  readonly config: Config
  readonly services: Services<Data>
}

/** `Data` is the encoded form of messages. Only {@link wire} interprets it. */
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
  readonly timers: Timers<TimerName> = new Timers(timerNames)
  /**
   * `left`: this node has sent its left-statement. Until the host stops, this node still passes on
   * news: the senders may be leaving, too.
   */
  phase: 'running' | 'left' | 'stopped' = 'running'
  /** Time of the current input. */
  now: Milliseconds = 0
  /**
   * Time of the first completed reconciliation. Infinity: there was none, so this node is new in
   * the pool.
   */
  wholeSince: Milliseconds = Infinity
  /** Time of the last completed reconciliation. */
  lastReconciliation: Milliseconds | undefined
  /** Start of this node's present life. */
  bornAt: Milliseconds = 0
  /** Time when this process first entered the pool; undefined before. */
  enteredAt: Milliseconds | undefined
  /**
   * This node has introducers, but has not reached a member yet. The pool exists elsewhere, so this
   * node decides nothing in the pool's name.
   */
  isUnintroduced = false
  effects: Effect<Data>[] = []
  /** Queue of outcomes that the node has to settle. */
  outcomes: Outcome[] = []

  constructor({ id, pool, config, services }: ContextOptions<Data>) {
    this.id = id
    this.pool = pool
    this.config = config
    this.services = services
    this.codec = new StatementCodec(pool, services)
    // Without a codec of the runner, `Data` is bytes.
    this.wire = services.codec ?? (new ProtobufCodec(config.limits) as Codec<Encoded> as Codec<Data>)
    this.facts = new FactSet(services.registry ?? new Registry(), factBytes)
    this.view = new View(this.facts, config, (at) => this.timers.set('tombstone', at))
    this.budgets = new Budgets((peer) => this.view.wasMember(peer))
  }

  /** Time since this process first entered the pool, ms; 0 before. */
  get age(): Milliseconds {
    return this.enteredAt === undefined ? 0 : this.now - this.enteredAt
  }

  /** True once this node has completed a reconciliation: it is not a newcomer. */
  get isWhole(): boolean {
    return this.wholeSince < Infinity
  }

  /** True while this node is new in the pool and receives the whole pool at once. */
  get isBootstrapping(): boolean {
    return !this.isWhole || this.age < this.config.limits.bootstrapTime
  }

  random(): number {
    return this.services.random()
  }

  /**
   * Returns a random span between half and one and a half of `span`, so that nodes don't act in
   * step.
   */
  jitter(span: Milliseconds): Milliseconds {
    return span * (0.5 + this.random())
  }

  send(to: NodeId, message: Message): void {
    if (!this.links.has(to)) return
    const data = this.wire.encodeFrame(message)
    this.effects.push(isUrgent(message) ? { type: 'send', to, data, urgent: true } : { type: 'send', to, data })
  }

  /** Sends facts, in as many frames as they need. `fresh`: the peer should pass them on. */
  sendFacts(to: NodeId, facts: readonly Fact[], fresh: boolean): void {
    const { chunkBytes, factsPerFrame } = this.config.limits
    let start = 0
    let bytes = 0
    for (let i = 0; i < facts.length; i++) {
      bytes += factBytes(facts[i] as Fact)
      const isLast = i === facts.length - 1
      if (!isLast && bytes < chunkBytes && i + 1 - start < factsPerFrame) continue
      this.send(to, { facts: { facts: facts.slice(start, i + 1).map((fact) => this.facts.aged(fact, this.now)), fresh } })
      start = i + 1
      bytes = 0
    }
  }

  /**
   * Charges a peer for a cost that it causes to this node. The host reads nothing from a peer in
   * debt until the peer has paid. Returns false if the debt is far too large: the caller must not
   * serve that peer. Only a host without back-pressure permits such a debt.
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

  /** Requests a link to a member. */
  connect(id: NodeId): void {
    const member = this.view.get(id)
    if (member !== undefined) this.effects.push({ type: 'connect', peer: id, addresses: member.addresses })
  }

  /** Closes a link that this node does not need. */
  closeLink(peer: NodeId, reason: string): void {
    const link = this.links.get(peer)
    if (link === undefined) return
    link.goodbye = true // otherwise its end would raise a suspicion and a new dial
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
