/**
 * The batcher gathers the messages of failure detection to peers.
 *
 * When a rack goes down, every observer has news of several members for the same neighbours within
 * a few milliseconds. Each frame costs both ends far more than its content. So the batcher gathers
 * messages for a moment, and sends one frame of each kind over each link. If answers are slow it
 * gathers for longer, and sends fewer frames.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Timed } from '../../context/timers.ts'
import type { Statement } from '../../facts/statement.ts'

/**
 * The batcher gathers messages for this time, ms. Measured: when 18 of 60 processes die at once,
 * frames cost more than their content.
 */
const gatherTime = 10

/**
 * On an overloaded machine the batcher gathers messages for as long as answers take, but at most
 * for this time, ms. Measured (40 nodes on two machines of half the usual speed): 14 s after a
 * partition all nodes see all members again. With 10 ms it takes 22 s: each suspect brings a frame
 * to each link. Guess: a longer wait costs more than the frames.
 */
const longestGather = 1_000

interface Waiting {
  /**
   * The keys come from the signatures. So a statement that came from several peers has one entry.
   */
  readonly statements: Map<string, Statement>
  readonly subjects: Set<NodeId>
  readonly reached: Map<string, Statement>
  readonly missed: Set<NodeId>
  readonly unknown: Set<NodeId>
}

export class Batcher implements Timed {
  readonly #context: Context
  readonly #waiting = new Map<NodeId, Waiting>()
  readonly #busyness: () => Milliseconds

  /** `busyness`: the usual round trip if most answers are late, ms; otherwise 0. */
  constructor(context: Context, busyness: () => Milliseconds = () => 0) {
    this.#context = context
    this.#busyness = busyness
  }

  /** Sends an accusation or a refutation. */
  send(peer: NodeId, statement: Statement): void {
    this.#to(peer)?.statements.set(keyOf(statement), statement)
  }

  /** Asks for an indirect probe. */
  ask(helper: NodeId, subject: NodeId): void {
    this.#to(helper)?.subjects.add(subject)
  }

  /** Answers a request for an indirect probe with the subject's refutation. */
  reached(peer: NodeId, refutation: Statement): void {
    this.#to(peer)?.reached.set(keyOf(refutation), refutation)
  }

  /** Answers that this node missed the subject, or (`isUnknown`) that it can't tell. */
  missed(peer: NodeId, subject: NodeId, isUnknown: boolean): void {
    const waiting = this.#to(peer)
    if (isUnknown) waiting?.unknown.add(subject)
    else waiting?.missed.add(subject)
  }

  clear(): void {
    this.#waiting.clear()
    this.#context.timers.set('detectionBatch', Infinity)
  }

  due(): void {
    const all = [...this.#waiting]
    this.clear()
    for (const [peer, waiting] of all) this.#flush(peer, waiting)
  }

  #flush(peer: NodeId, { statements, subjects, reached, missed, unknown }: Waiting): void {
    const context = this.#context
    for (const [first] of this.#pages(statements.values(), [])) context.send(peer, { alarm: { statements: first } })
    for (const [first] of this.#pages(subjects, [])) context.send(peer, { pingReq: { subjects: first } })
    for (const [first, second] of this.#pages(reached.values(), missed))
      context.send(peer, { pingReqAck: { reached: first, missed: second, unknown: [] } })
    for (const [first] of this.#pages(unknown, [])) context.send(peer, { pingReqAck: { reached: [], missed: [], unknown: first } })
  }

  /** Splits both lists into pages. Each holds as many entries of each list as a frame may have. */
  *#pages<First, Second>(first: Iterable<First>, second: Iterable<Second>): Generator<[First[], Second[]]> {
    const [all, others] = [[...first], [...second]]
    const entries = this.#context.config.limits.entriesPerAlarm
    for (let at = 0; at < Math.max(all.length, others.length); at += entries)
      yield [all.slice(at, at + entries), others.slice(at, at + entries)]
  }

  #to(peer: NodeId): Waiting | undefined {
    const { links, now, timers } = this.#context
    if (!links.has(peer)) return undefined
    let waiting = this.#waiting.get(peer)
    if (waiting === undefined) {
      waiting = {
        statements: new Map(),
        subjects: new Set(),
        reached: new Map(),
        missed: new Set(),
        unknown: new Set(),
      }
      this.#waiting.set(peer, waiting)
    }
    timers.advance('detectionBatch', now + Math.max(gatherTime, Math.min(this.#busyness(), longestGather)))
    return waiting
  }
}

function keyOf({ kind, signer, signature }: Statement): string {
  return `${kind}${signer}${signature.subarray(0, 8).join()}`
}
