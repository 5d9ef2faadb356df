/**
 * Signals: short named messages from one member to others, with acknowledgements (JEL's `signal` in
 * the Ibis registry).
 *
 * A broken link may lose the acknowledgement, so the sender repeats the signal over the next link.
 * The receiver acknowledges each copy, and delivers the signal once.
 */
import { FrameError } from './base/errors.ts'
import type { Milliseconds, NodeId } from './base/values.ts'
import { nameProblem } from './base/name.ts'
import { remember } from './base/remember.ts'
import type { Context } from './context/context.ts'
import type { Timed } from './context/timers.ts'
import type * as wire from './wire/messages.js'

/**
 * The first reference of a process is below this number. Design: references have 32 bits, and a
 * process counts up from its first one.
 */
const firstReferences = 2 ** 31
/** References remembered for each sender. Guess: a sender has fewer signals in flight. */
const remembered = 256
/** Senders remembered beyond the number of members. Guess. */
const senders = 1_024

/** Signals received from one process. */
interface Heard {
  /**
   * Identifies the process. A process may have several lives, and repeats unacknowledged signals.
   */
  readonly nonce: number
  readonly references: Set<number>
}

interface Sending {
  /** The reference of the command. */
  readonly ref: number
  readonly name: string
  readonly deadline: Milliseconds
  readonly waiting: Set<NodeId>
  readonly delivered: NodeId[]
  readonly failed: NodeId[]
}

export class Signals implements Timed {
  readonly #context: Context
  /** By reference. */
  readonly #sendings = new Map<number, Sending>()
  /** Received signals by sender. This node keeps only the most recent senders. */
  readonly #heard = new Map<NodeId, Heard>()
  /**
   * The next reference. The first one is random: a signal may come before its receiver knows that
   * the sender is another process.
   */
  #next: number | undefined

  constructor(context: Context) {
    this.#context = context
  }

  send(ref: number, name: string, to: readonly NodeId[]): void {
    const { now, config, view, links, id } = this.#context
    const reference = this.#next ?? Math.floor(this.#context.random() * firstReferences)
    this.#next = reference + 1
    const sending: Sending = { ref, name, deadline: now + config.limits.signalTimeout, waiting: new Set(), delivered: [], failed: [] }
    this.#sendings.set(reference, sending)
    for (const peer of new Set(to)) {
      const member = view.get(peer)
      const self = view.get(id)
      if (peer === id && self !== undefined) {
        sending.delivered.push(id)
        this.#context.notify({ type: 'signal', name, from: self })
      } else if (member === undefined) sending.failed.push(peer)
      else {
        sending.waiting.add(peer)
        if (links.has(peer)) this.#context.send(peer, { signal: { reference, name } })
        else this.#context.effects.push({ type: 'connect', peer, addresses: member.addresses })
      }
    }
    this.#finish(reference, sending)
    this.#arm()
  }

  /**
   * Acknowledges a member's signal, and delivers it once. Ignores signals of other peers. Throws
   * {@link FrameError} on an invalid name.
   */
  receive(from: NodeId, { reference, name }: wire.Signal): void {
    const problem = nameProblem(name)
    if (problem !== undefined) throw new FrameError(`the name of a signal ${problem}`)
    const member = this.#context.view.get(from)
    if (member === undefined) return
    this.#context.send(from, { signalAck: { reference } })
    if (this.#isNews(from, reference)) this.#context.notify({ type: 'signal', name, from: member })
  }

  linkUp(peer: NodeId): void {
    for (const [reference, { name, waiting }] of this.#sendings)
      if (waiting.has(peer)) this.#context.send(peer, { signal: { reference, name } })
  }

  acknowledged(from: NodeId, reference: number): void {
    const sending = this.#sendings.get(reference)
    if (sending === undefined || !sending.waiting.delete(from)) return
    sending.delivered.push(from)
    this.#finish(reference, sending)
  }

  /** Fails the signals to a member whose life ended. */
  lifeEnded(id: NodeId): void {
    this.unreachable(id)
  }

  /** Fails the signals to a member that is gone or can't be reached. */
  unreachable(peer: NodeId): void {
    for (const [reference, sending] of this.#sendings) {
      if (!sending.waiting.delete(peer)) continue
      sending.failed.push(peer)
      this.#finish(reference, sending)
    }
  }

  due(): void {
    for (const [reference, sending] of this.#sendings) {
      if (this.#context.now < sending.deadline) continue
      sending.failed.push(...sending.waiting)
      sending.waiting.clear()
      this.#finish(reference, sending)
    }
    this.#arm()
  }

  /**
   * True if this node has not delivered this signal yet. Processes of release 0.1.0 count from one,
   * so this node compares only references of one process.
   */
  #isNews(from: NodeId, reference: number): boolean {
    const { view } = this.#context
    const nonce = view.statement(from)?.content.nonce ?? 0
    let heard = this.#heard.get(from)
    if (heard?.nonce !== nonce) heard = { nonce, references: new Set() }
    remember(this.#heard, from, heard, view.size + senders)
    const { references } = heard
    if (references.has(reference)) return false
    references.add(reference)
    const [oldest] = references
    if (references.size > remembered && oldest !== undefined) references.delete(oldest)
    return true
  }

  #finish(reference: number, { ref, waiting, delivered, failed }: Sending): void {
    if (waiting.size > 0) return
    this.#sendings.delete(reference)
    this.#arm()
    this.#context.notify({ type: 'signalled', ref, delivered, failed })
  }

  #arm(): void {
    // All signals wait equally long, so the first one is due first.
    const [first] = this.#sendings.values()
    this.#context.timers.set('signal', first?.deadline ?? Infinity)
  }
}
