/**
 * Alarms: suspicions and refutations on their way to other members.
 *
 * When a rack goes down, every witness has something to say of several members to the same neighbours within a few milliseconds, and each
 * frame costs both ends far more than what it holds. So what is said is gathered for a moment, one frame a link; on a busy machine
 * the moments grow by themselves, as timers fire late there, and the frames get fewer.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Statement } from '../facts/statement.ts'

export class Alarms implements Timed {
  readonly #context: Context
  readonly #waiting = new Map<NodeId, Set<Statement>>()
  #nextDue: Milliseconds = Infinity

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** Says this to a member soon; nothing happens if there is no link. */
  tell(peer: NodeId, statement: Statement): void {
    const { links, now, config } = this.#context
    if (!links.has(peer)) return
    const statements = this.#waiting.get(peer) ?? new Set()
    this.#waiting.set(peer, statements.add(statement))
    this.#nextDue = Math.min(this.#nextDue, now + config.detection.gather)
  }

  /** Says this now. */
  tellAtOnce(peer: NodeId, statements: readonly Statement[]): void {
    const { statementsPerAlarm } = this.#context.config.limits
    for (let at = 0; at < statements.length; at += statementsPerAlarm) {
      this.#context.send(peer, {
        alarm: { statements: statements.slice(at, at + statementsPerAlarm), doubted: [] },
      })
    }
  }

  clear(): void {
    this.#waiting.clear()
    this.#nextDue = Infinity
  }

  due(): void {
    if (this.#context.now < this.#nextDue) return
    this.#nextDue = Infinity
    for (const [peer, statements] of this.#waiting) this.tellAtOnce(peer, [...statements])
    this.#waiting.clear()
  }
}
