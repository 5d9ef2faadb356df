/**
 * Healing: finding the other side of a partition again.
 *
 * After a partition both sides have pronounced the other dead and have no reason to call. So who was pronounced dead stays known for a
 * day with its addresses, and is dialled now and then: each member with a small probability, so that the pool as a whole
 * makes a bounded number of attempts however large it is. One link that comes up is enough: reconciliation over it tells each side
 * of its deaths, and who finds itself among them enters anew.
 */
import type { Context, Timed } from './context.ts'
import type { Member, Milliseconds, NodeId } from './io.ts'
import { pickOne } from './random.ts'

/** Longest wait before one node tries the same lost member again, ms. Guess: keeps a healed pool whole within 20 s of the design. */
const longestWait = 30_000

interface Lost {
  readonly member: Member
  readonly at: Milliseconds
  attempts: number
  nextTry: Milliseconds
}

export class Healer implements Timed {
  readonly #context: Context
  readonly #lost = new Map<NodeId, Lost>()
  #nextDue = Infinity

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** Lost members that are remembered. */
  get size(): number {
    return this.#lost.size
  }

  /** Members pronounced dead within the last minute. */
  recentlyLost(): number {
    let count = 0
    for (const { at } of this.#lost.values()) if (this.#context.now - at < 60_000) count += 1
    return count
  }

  lost(member: Member): void {
    const { now, config, id } = this.#context
    if (member.id === id) return
    this.#lost.delete(member.id)
    this.#lost.set(member.id, { member, at: now, attempts: 0, nextTry: now + config.healing.interval })
    if (this.#lost.size > config.healing.max)
      for (const oldest of this.#lost.keys()) {
        this.#lost.delete(oldest)
        break
      }
    if (this.#nextDue === Infinity) this.#nextDue = now + this.#context.jitter(config.healing.interval)
  }

  /** It is a member again, or left for good. */
  found(id: NodeId): void {
    this.#lost.delete(id)
  }

  due(): void {
    const { now, config, view, links } = this.#context
    if (now < this.#nextDue) return
    for (const [id, { at }] of this.#lost) if (now - at >= config.healing.memory) this.#lost.delete(id)
    this.#nextDue = this.#lost.size === 0 ? Infinity : now + this.#context.jitter(config.healing.interval)
    if (this.#context.random() >= config.healing.attempts / Math.max(view.size, 1)) return
    const ready = [...this.#lost.values()].filter(({ nextTry, member }) => nextTry <= now && !links.has(member.id))
    const lost = pickOne(() => this.#context.random(), ready)
    if (lost === undefined) return
    lost.attempts += 1
    lost.nextTry = now + Math.min(longestWait, config.healing.interval * 2 ** Math.min(lost.attempts, 16))
    this.#context.effects.push({ type: 'connect', peer: lost.member.id, addresses: lost.member.addresses })
  }
}
