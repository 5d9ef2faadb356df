/**
 * Nodes in virtual time that pass frames by reference, for pools so large that encoding and signing
 * would be all the work of a test. Like a host, they hold back frames of a paused peer, except
 * urgent ones.
 */
import { makeConfig } from '../src/base/config.ts'
import type { Effect } from '../src/base/effect.ts'
import type { Input } from '../src/base/input.ts'
import type { Notification } from '../src/base/notification.ts'
import type { Encoded, Milliseconds, NodeId } from '../src/base/values.ts'
import { Registry } from '../src/facts/registry.ts'
import type { Codec } from '../src/frames/codec.ts'
import type { Batch, Message } from '../src/frames/message.ts'
import { broadcastBytes, frameBytes } from '../src/frames/encoded-size.ts'
import { ProtocolNode } from '../src/node.ts'
import { pool, servicesOf } from './actors.ts'

interface Envelope extends Encoded {
  readonly message?: Message
  readonly batch?: Batch
}

const codec: Codec<Envelope> = {
  encodeFrame: (message) => ({ length: frameBytes(message), message }),
  decodeFrame: ({ message }) => message as Message,
  encodeBroadcast: (batch) => ({ length: broadcastBytes(batch), batch }),
  decodeBroadcast: ({ batch }) => batch as Batch,
}

/** Nodes that are linked with each other, and linked peers that only listen. */
export class LinkedNodes {
  now: Milliseconds = 10_000
  readonly nodes = new Map<NodeId, ProtocolNode<Envelope>>()
  readonly news = new Map<NodeId, Notification[]>()
  /** All sent frames. */
  readonly sent: {
    readonly at: Milliseconds
    readonly from: NodeId
    readonly to: NodeId
    readonly data: Envelope
    readonly urgent: boolean
  }[] = []
  /** Maximum number of bytes that a node sent to one other node for one input. */
  largest = 0
  readonly #latency: Milliseconds
  readonly #registry = new Registry()
  readonly #timers = new Map<NodeId, Milliseconds>()
  /** Frames in flight or held back, by receiver and sender, in order. */
  #waiting: { at: Milliseconds; readonly from: NodeId; readonly to: NodeId; readonly data: Envelope; readonly urgent: boolean }[] = []
  readonly #paused = new Map<string, Milliseconds>()

  constructor(latency: Milliseconds) {
    this.#latency = latency
  }

  add(id: NodeId, tagBytes = 0): ProtocolNode<Envelope> {
    const services = { ...servicesOf(id), verify: () => true, codec, registry: this.#registry }
    const options = { id, pool, location: 'here', tag: new Uint8Array(tagBytes), storedIncarnation: 0, config: makeConfig(), services }
    const node = new ProtocolNode<Envelope>(options)
    this.nodes.set(id, node)
    this.news.set(id, [])
    return node
  }

  handle(id: NodeId, input: Input<Envelope>): void {
    const node = this.nodes.get(id)
    if (node === undefined) return
    const turn = new Map<NodeId, number>()
    for (const effect of node.handle(input, this.now)) this.#carryOut(id, effect, turn)
    this.largest = Math.max(this.largest, ...turn.values())
  }

  say(from: NodeId, to: NodeId, message: Message): void {
    this.handle(to, { type: 'frame', from, data: codec.encodeFrame(message) })
  }

  link(one: NodeId, other: NodeId): void {
    this.handle(one, { type: 'connected', peer: other, dialable: true })
    this.handle(other, { type: 'connected', peer: one, dialable: true })
  }

  /** Lets time pass until the condition is true. Returns the time it took. */
  until(condition: () => boolean, atMost: Milliseconds): Milliseconds {
    const start = this.now
    while (!condition()) {
      const next = Math.min(...this.#timers.values(), ...this.#waiting.map(({ at }) => at))
      if (next - start > atMost) throw new Error(`not within ${atMost} ms`)
      this.now = Math.max(this.now, next)
      const due = this.#waiting.filter(({ at }) => at <= this.now)
      this.#waiting = this.#waiting.filter(({ at }) => at > this.now)
      for (const envelope of due) this.#arrive(envelope)
      for (const [id, at] of this.#timers) {
        if (at > this.now) continue
        this.#timers.set(id, Infinity)
        this.handle(id, { type: 'timer' })
      }
    }
    return this.now - start
  }

  #arrive(envelope: (typeof this.sent)[number] & { at: Milliseconds }): void {
    const until = this.#paused.get(`${envelope.to} ${envelope.from}`) ?? 0
    if (!envelope.urgent && this.now < until) this.#waiting.push({ ...envelope, at: until })
    else this.handle(envelope.to, { type: 'frame', from: envelope.from, data: envelope.data })
  }

  #carryOut(id: NodeId, effect: Effect<Envelope>, turn: Map<NodeId, number>): void {
    if (effect.type === 'send') {
      const { to, data, urgent = false } = effect
      turn.set(to, (turn.get(to) ?? 0) + data.length)
      const envelope = { at: this.now + this.#latency, from: id, to, data, urgent }
      this.sent.push({ ...envelope, at: this.now })
      if (this.nodes.has(to)) this.#waiting.push(envelope)
    } else if (effect.type === 'pause') this.#paused.set(`${id} ${effect.peer}`, effect.until)
    else if (effect.type === 'timer') this.#timers.set(id, effect.at)
    else if (effect.type === 'notify') this.news.get(id)?.push(effect.notification)
  }
}
