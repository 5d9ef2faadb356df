/**
 * What the parts of a node share: its identity, its knowledge, the time of the current input, and the effects gathered so far.
 */
import type { Config } from './config.ts'
import { factToWire, type Fact } from './fact.ts'
import { FactSet } from './facts.ts'
import type { Effect, Milliseconds, NodeId, Notification, Services, WarningCode } from './io.ts'
import type { Links } from './links.ts'
import { StatementCodec } from './statement.ts'
import { View } from './view.ts'
import * as wire from './wire/messages.js'

export interface ContextOptions {
  readonly id: NodeId
  readonly pool: string
  readonly config: Config
  readonly services: Services
}

export class Context {
  readonly id: NodeId
  readonly pool: string
  readonly config: Config
  readonly services: Services
  readonly codec: StatementCodec
  readonly facts = new FactSet()
  readonly view: View
  readonly links: Links = new Map()
  /** Time of the input being handled. */
  now: Milliseconds = 0
  effects: Effect[] = []

  constructor({ id, pool, config, services }: ContextOptions) {
    this.id = id
    this.pool = pool
    this.config = config
    this.services = services
    this.codec = new StatementCodec(pool, services, config.limits)
    this.view = new View(this.facts, config)
  }

  random(): number {
    return this.services.random()
  }

  /** A span between half and one and a half of this one, so that nodes don't march in step. */
  jitter(span: Milliseconds): Milliseconds {
    return span * (0.5 + this.random())
  }

  send(to: NodeId, frame: wire.Frame): void {
    if (this.links.has(to)) this.effects.push({ type: 'send', to, data: wire.Frame.encode(frame) })
  }

  /** Sends facts, as many frames as they need. `fresh`: to be passed on. */
  sendFacts(to: NodeId, facts: readonly Fact[], fresh: boolean): void {
    const { chunkBytes } = this.config.limits
    let chunk: wire.Fact[] = []
    let bytes = 0
    const flush = (): void => {
      if (chunk.length > 0) this.send(to, { facts: { facts: chunk, fresh } })
      chunk = []
      bytes = 0
    }
    for (const fact of facts) {
      const message = factToWire(fact, this.now)
      chunk.push(message)
      bytes += (message.statement?.body.length ?? 0) + 110 + (message.certificate?.witnesses.length ?? 0) * 104
      if (bytes >= chunkBytes || chunk.length >= this.config.limits.factsPerFrame) flush()
    }
    flush()
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
