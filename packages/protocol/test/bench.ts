/**
 * A bench: one node under test, with actors around it that the test controls. `reach` sets the
 * outcome of dials and host probes. Linked peers that are not in `unresponsive` answer probes,
 * reconciliations and requests for indirect probes. Only `advance` and `sleep` move the time.
 */
import { makeConfig, type Config, type ConfigOverrides } from '../src/base/config.ts'
import { hashSpace } from '../src/base/hash.ts'
import { decodeId, encodeId } from '../src/base/id.ts'
import type { Effect } from '../src/base/effect.ts'
import type { DialFailure, Input, Introducer } from '../src/base/input.ts'
import type { Notification } from '../src/base/notification.ts'
import type { Member, Milliseconds, NodeId } from '../src/base/values.ts'
import type { Certificate } from '../src/facts/certificate.ts'
import { statementToWire } from '../src/facts/statement-codec.ts'
import { isKind, type Candidacy, type Claim, type Statement } from '../src/facts/statement.ts'
import { ProtocolNode } from '../src/node.ts'
import * as wire from '../src/wire/messages.js'
import { calendar, facts, pool, servicesOf, wireFact, type Actor } from './actors.ts'

export interface BenchOptions {
  readonly config?: ConfigOverrides
  readonly introducers?: readonly Introducer[]
  readonly storedIncarnation?: number
  readonly storedEpochs?: ReadonlyMap<string, number>
  /** The records of an earlier run, and its time. */
  readonly saved?: { readonly records: readonly Uint8Array[]; readonly at: number }
  /** False: the test sends `start` itself. */
  readonly started?: boolean
  readonly seed?: number
}

/** Outcome of a dial. `hang`: none yet. */
export type Reach = 'up' | 'hang' | DialFailure

const none = new Uint8Array(0)

export const home: readonly Uint8Array[] = [Uint8Array.of(4, 127, 0, 0, 1, 6, 0, 80)]

export class Bench {
  readonly self: Actor
  readonly config: Config
  readonly node: ProtocolNode
  now: Milliseconds = 10_000
  readonly #begun = this.now
  /** All effects so far, with the time. */
  readonly log: { readonly at: Milliseconds; readonly effect: Effect }[] = []
  readonly reach = new Map<NodeId, Reach>()
  /** Linked peers whose process is silent. */
  readonly unresponsive = new Set<NodeId>()
  /**
   * In all answers to probes: the time until the node's next turn to probe, ms. Default: a period.
   */
  turn: Milliseconds | undefined
  /** False: reconciliations that the node begins stay open. */
  reconciles = true
  /**
   * Members that answer a request for an indirect probe with "reached". Other members answer
   * "missed". Unresponsive members are silent.
   */
  readonly relays = new Set<NodeId>()
  /** Members that answer "unknown" instead of "missed". */
  readonly unknowing = new Set<NodeId>()
  readonly actors = new Map<NodeId, Actor>()
  /** Offset of the node's calendar. */
  skew: Milliseconds = 0
  /** Number of checked signatures. */
  verifications = 0
  #timer: Milliseconds = Infinity
  /**
   * How often the timer fired while the time stood still. A node that never rests would hang the
   * test.
   */
  #fired = 0

  constructor(
    self: Actor,
    { config, introducers = [], storedIncarnation = 0, storedEpochs = new Map(), saved, started = true, seed = 1 }: BenchOptions = {},
  ) {
    this.self = self
    this.config = makeConfig(config)
    const services = servicesOf(self.id, seed)
    this.node = new ProtocolNode({
      id: self.id,
      pool,
      location: 'bench',
      tag: new Uint8Array(0),
      storedIncarnation,
      storedEpochs,
      config: this.config,
      services: {
        ...services,
        verify: (...parts) => {
          this.verifications += 1
          return services.verify(...parts)
        },
        today: () => this.today,
      },
    })
    if (started) this.input({ type: 'start', addresses: home, introducers, ...(saved && { saved }) })
  }

  /**
   * Takes one input and carries out its effects. Returns all effects, including those of the
   * answers.
   */
  input(input: Input): Effect[] {
    return this.#carryOut(this.node.handle(input, this.now))
  }

  broadcast(data: Uint8Array): 'accept' | 'ignore' | 'reject' {
    const { verdict, effects } = this.node.handleBroadcast(data, this.now)
    this.#carryOut(effects)
    return verdict
  }

  /**
   * Delivers the contents on the topic, in as many broadcasts as necessary. Returns the verdict on
   * the last broadcast.
   */
  overhears(...contents: readonly (Statement | Certificate)[]): 'accept' | 'ignore' | 'reject' {
    const most = this.config.limits.factsPerBroadcast
    const last = contents.length - (contents.length % most || most)
    for (let at = 0; at < last; at += most) this.#overhear(contents.slice(at, at + most))
    return this.#overhear(contents.slice(Math.max(last, 0)))
  }

  #overhear(contents: readonly (Statement | Certificate)[]): 'accept' | 'ignore' | 'reject' {
    return this.broadcast(wire.Broadcast.encode({ nonce: this.log.length, facts: contents.map((content) => wireFact(content)) }))
  }

  receive(from: Actor, frame: wire.Frame): Effect[] {
    return this.input({ type: 'frame', from: from.id, data: wire.Frame.encode(frame) })
  }

  /**
   * Makes an actor a member that the node knows, with a link (`linked`, the default) or without.
   */
  meet(actor: Actor, { linked = true, dialable = true } = {}): void {
    if (linked) {
      const { reconciles } = this
      // Facts must come before the answer that completes a reconciliation.
      this.reconciles = false
      this.link(actor, { dialable })
      this.receive(actor, facts([actor.joined()]))
      this.reconciles = reconciles
      if (reconciles) this.receive(actor, { reconcile: { round: 2, ranges: [] } })
    } else {
      this.actors.set(actor.id, actor)
      this.overhears(actor.joined())
    }
  }

  /** The present heartbeat of every actor. */
  get heartbeat(): number {
    return Math.floor((this.now - this.#begun) / 1000)
  }

  link(actor: Actor, { dialable = true, known = 0, ended = false, incarnation = actor.incarnation } = {}): Effect[] {
    this.actors.set(actor.id, actor)
    return [
      ...this.input({ type: 'connected', peer: actor.id, dialable }),
      ...this.receive(actor, { hello: { known, ended, incarnation } }),
    ]
  }

  unlink(actor: Actor): Effect[] {
    return this.input({ type: 'disconnected', peer: actor.id })
  }

  /** Lets time pass, and fires the timer whenever it is due. */
  advance(span: Milliseconds): Effect[] {
    const effects: Effect[] = []
    const end = this.now + span
    while (this.#timer <= end) {
      this.#fired = this.#timer <= this.now ? this.#fired + 1 : 0
      if (this.#fired > 100) throw new Error(`the node asks to be woken at ${this.now} again and again`)
      this.now = Math.max(this.now, this.#timer)
      this.#timer = Infinity
      effects.push(...this.input({ type: 'timer' }))
    }
    this.now = end
    return effects
  }

  /** Stops the host for this long. Then the timer fires late. */
  sleep(span: Milliseconds): Effect[] {
    this.now += span
    this.#timer = Infinity
    return this.input({ type: 'timer' })
  }

  /**
   * Advances in small steps until the condition is true. Returns the time it took; undefined:
   * longer than `atMost`.
   */
  until(condition: () => boolean, atMost: Milliseconds, step = 10): Milliseconds | undefined {
    const start = this.now
    while (!condition()) {
      if (this.now - start >= atMost) return undefined
      this.advance(step)
    }
    return this.now - start
  }

  /** Returns the node's own joined-statement, as it was sent in any frame. */
  ownStatement(incarnation = 1): Statement {
    for (const { effect } of this.log) {
      if (effect.type !== 'send') continue
      for (const { statement } of wire.Frame.decode(effect.data).facts?.facts ?? []) {
        if (statement === undefined) continue
        const read = this.self.read(statement)
        if (read.signer === this.self.id && read.content.kind === 'joined' && read.content.incarnation === incarnation) return read
      }
    }
    throw new Error(`the node never sent a joined-statement of incarnation ${incarnation}`)
  }

  get today(): Milliseconds {
    return calendar + this.now - this.#begun + this.skew
  }

  get members(): NodeId[] {
    return this.node.members().map(({ id }) => id)
  }

  get notifications(): Notification[] {
    return notificationsIn(this.log.map(({ effect }) => effect))
  }

  /** Membership changes so far, as `joined:<id>:<incarnation>`. */
  get changes(): string[] {
    return changesIn(this.notifications)
  }

  /**
   * Returns the node's state as `auditor` can see it over its link. If two audits are equal,
   * nothing changed in between. The request has a wrong fingerprint, so that the answer has
   * everything. Its round is the second: the node may ignore a first round if it has just begun one
   * itself.
   */
  audit(auditor: Actor): { members: readonly Member[]; facts: readonly string[] } {
    const range = { from: 0, to: hashSpace, count: 0xffffffff, fingerprint: new Uint8Array(8), items: none, wanted: none, listed: false }
    const question = wire.Frame.encode({ reconcile: { round: 2, ranges: [range] } })
    const answers = this.sent(auditor, this.node.handle({ type: 'frame', from: auditor.id, data: question }, this.now))
    const ranges = answers.flatMap(({ reconcile }) => reconcile?.ranges ?? [])
    if (ranges.length === 0) throw new Error('the auditor got no answer')
    const items = ranges.flatMap(({ from, count, fingerprint, items: packed, listed }) =>
      listed ? chunks(hex(packed), 22) : [`${from}:${count}:${hex(fingerprint)}`],
    )
    return { members: this.node.members(), facts: items }
  }

  /** Returns the frames sent to a peer, among these effects or all. */
  sent(to: Actor, effects: readonly Effect[] = this.log.map(({ effect }) => effect)): wire.Frame[] {
    return framesTo(to.id, effects)
  }

  #carryOut(effects: readonly Effect[]): Effect[] {
    const all: Effect[] = [...effects]
    for (const effect of effects) this.log.push({ at: this.now, effect })
    // As in every driver, all effects of an input are carried out before the inputs that result
    // from them.
    for (const answer of effects.flatMap((effect) => this.#answers(effect))) all.push(...this.input(answer))
    return all
  }

  #answers(effect: Effect): Input[] {
    if (effect.type === 'timer') this.#timer = effect.at
    else if (effect.type === 'disconnect') return [{ type: 'disconnected', peer: effect.peer }]
    else if (effect.type === 'connect') return this.#dial(effect.peer, effect.addresses)
    else if (effect.type === 'probeHost') return this.#probeHost(effect.peer)
    else if (effect.type === 'send' && !this.unresponsive.has(effect.to)) return this.#reply(effect.to, wire.Frame.decode(effect.data))
    return []
  }

  #dial(peer: NodeId | undefined, addresses: readonly Uint8Array[]): Input[] {
    const reach = peer === undefined ? 'hang' : (this.reach.get(peer) ?? 'hang')
    if (reach === 'hang' || (peer !== undefined && this.node.links.has(peer))) return []
    if (reach === 'up') return [{ type: 'connected', peer: peer as NodeId, dialable: true }]
    return [{ type: 'unreachable', peer, addresses, failure: reach, reason: `dial: ${reach}` }]
  }

  #probeHost(peer: NodeId): Input[] {
    const reach = this.reach.get(peer) ?? (this.node.links.has(peer) ? 'up' : 'hang')
    if (reach === 'hang') return []
    const outcome = reach === 'refused' || reach === 'silent' ? reach : 'accepted'
    return [{ type: 'hostProbed', peer, outcome }]
  }

  #reply(to: NodeId, { probe, reconcile, pingReq }: wire.Frame): Input[] {
    const answer: wire.Frame | undefined =
      probe !== undefined
        ? { ack: { sequence: probe.sequence, nextInMs: this.turn ?? this.config.detection.period, heartbeat: this.heartbeat } }
        : reconcile !== undefined && reconcile.ranges.length > 0 && this.reconciles
          ? { reconcile: { round: reconcile.round + 1, ranges: [] } }
          : pingReq !== undefined
            ? { pingReqAck: this.#probeFor(to, pingReq.subjects.map(encodeId)) }
            : undefined
    return answer === undefined ? [] : [{ type: 'frame', from: to, data: wire.Frame.encode(answer) }]
  }

  /** Returns a helper's answer about these subjects. */
  #probeFor(helper: NodeId, subjects: readonly NodeId[]): wire.PingReqAck {
    const isReached = (id: NodeId): boolean => id === helper || this.relays.has(helper)
    const others = subjects.filter((id) => !isReached(id)).map((id) => decodeId(id) as Uint8Array<ArrayBuffer>)
    return {
      reached: subjects.filter(isReached).flatMap((id) => {
        const actor = this.actors.get(id)
        return actor === undefined ? [] : [statementToWire(actor.refutes(this.heartbeat))]
      }),
      missed: this.unknowing.has(helper) ? [] : others,
      unknown: this.unknowing.has(helper) ? others : [],
    }
  }
}

export function framesTo(to: NodeId, effects: readonly Effect[]): wire.Frame[] {
  return effects.flatMap((effect) => (effect.type === 'send' && effect.to === to ? [wire.Frame.decode(effect.data)] : []))
}

export function broadcastsIn(effects: readonly Effect[]): wire.Broadcast[] {
  return effects.flatMap((effect) => (effect.type === 'broadcast' ? [wire.Broadcast.decode(effect.data)] : []))
}

/** Returns the claims and candidacies of this node that it published. */
export function electionNewsOf(self: Actor, bench: Bench): Statement<Claim | Candidacy>[] {
  const published = broadcastsIn(bench.log.map(({ effect }) => effect)).flatMap((broadcast) => broadcast.facts)
  return published.flatMap(({ statement }) => {
    if (statement === undefined) return []
    const read = self.read(statement)
    return read.signer === self.id && (isKind(read, 'claim') || isKind(read, 'candidacy')) ? [read] : []
  })
}

export function notificationsIn(effects: readonly Effect[]): Notification[] {
  return effects.flatMap((effect) => (effect.type === 'notify' ? [effect.notification] : []))
}

export function changesIn(notifications: readonly Notification[]): string[] {
  return notifications.flatMap((notification) =>
    isChange(notification) ? [`${notification.type}:${notification.member.id}:${notification.member.incarnation}`] : [],
  )
}

function chunks(text: string, length: number): string[] {
  return Array.from({ length: text.length / length }, (_, i) => text.slice(i * length, (i + 1) * length))
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function isChange(notification: Notification): notification is Extract<Notification, { member: Member }> {
  return notification.type === 'joined' || notification.type === 'left' || notification.type === 'died'
}
