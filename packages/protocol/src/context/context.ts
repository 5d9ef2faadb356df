/**
 * What the parts of a node share: its identity, its knowledge, the time of the current input, and the effects gathered so far.
 */
import type { Config } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import type { Effect, Encoded, Milliseconds, NodeId, Notification, WarningCode } from '../base/io.ts'
import type { Fact } from '../facts/fact.ts'
import { FactSet } from '../facts/facts.ts'
import { Registry } from '../facts/registry.ts'
import { StatementCodec } from '../facts/statement.ts'
import { View } from '../facts/view.ts'
import type { Codec } from '../frames/codec.ts'
import type { Message } from '../frames/message.ts'
import { ProtobufCodec } from '../frames/protobuf.ts'
import { factBytes } from '../frames/size.ts'
import type { Links } from './links.ts'
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
  /** Time of the input being handled. */
  now: Milliseconds = 0
  /** When a reconciliation was completed first; Infinity: none was, this node is new in the pool. */
  wholeSince: Milliseconds = Infinity
  effects: Effect<Data>[] = []

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
  }

  random(): number {
    return this.services.random()
  }

  /** A span between half and one and a half of this one, so that nodes don't march in step. */
  jitter(span: Milliseconds): Milliseconds {
    return span * (0.5 + this.random())
  }

  send(to: NodeId, message: Message): void {
    if (this.links.has(to)) this.effects.push({ type: 'send', to, data: this.wire.encodeFrame(message) })
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

  /** Sends facts that a peer asked for. Throws {@link FrameError} where it asks for more than anybody honest would: twice all there is at once. */
  answer(to: NodeId, facts: readonly Fact[], fresh: boolean): void {
    const asked = facts.reduce((sum, fact) => sum + factBytes(fact), 0)
    const { answersPerSecond } = this.config.limits
    const most = Math.max(answersPerSecond * 10, this.facts.bytes * 2)
    if (asked > 0 && this.links.get(to)?.budgets.spend('answers', this.now, answersPerSecond, asked, most) === false)
      throw new FrameError(`asks for more than ${answersPerSecond} bytes of facts a second`)
    this.sendFacts(to, facts, fresh)
  }

  /** Hands facts to all links but one, to be passed on. */
  handRound(facts: readonly Fact[], except?: NodeId): void {
    for (const peer of this.links.keys()) if (peer !== except) this.sendFacts(peer, facts, true)
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
    link.goodbye = true // or its end would raise doubt, and a new link
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
