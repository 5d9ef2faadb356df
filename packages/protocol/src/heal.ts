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
import { grown } from './order.ts'
import { pickOne } from './random.ts'

/** Longest wait before one node tries the same lost member again, ms. Guess: keeps a healed pool whole within 20 s of the design. */
const longestWait = 30_000

/** What was tried to reach a lost member. Few are ever tried by one node. */
interface Attempts {
  count: number
  nextTry: Milliseconds
}

export class Healer implements Timed {
  readonly #context: Context
  /** Lost members in the order of their loss, and when they were lost; undefined where one was found. */
  #lost: (Member | undefined)[] = []
  #since: Milliseconds[] = []
  #size = 0
  /** Whether somebody of this place in the registry may be lost: so that it need not be looked for at each join. */
  #mayBeLost = new Uint8Array(0)
  readonly #tried = new Map<NodeId, Attempts>()
  #nextDue = Infinity

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** Lost members that are remembered. */
  get size(): number {
    return this.#size
  }

  /** Members pronounced dead within the last minute. */
  recentlyLost(): number {
    let count = 0
    for (let i = this.#lost.length - 1; i >= 0 && this.#context.now - (this.#since[i] as number) < 60_000; i--)
      if (this.#lost[i] !== undefined) count += 1
    return count
  }

  lost(member: Member): void {
    const { now, config, id } = this.#context
    if (member.id === id) return
    this.found(member.id)
    this.#lost.push(member)
    this.#since.push(now)
    this.#size += 1
    this.#mark(member.id)
    if (this.#size > config.healing.max) this.#forget(this.#lost.findIndex((each) => each !== undefined))
    if (this.#nextDue === Infinity) this.#nextDue = now + this.#context.jitter(config.healing.interval)
  }

  /** It is a member again, or left for good. */
  found(id: NodeId): void {
    if (this.#size === 0) return
    const place = this.#context.facts.registry.memberPlace(id)
    if (place !== undefined && (this.#mayBeLost[place] ?? 0) === 0) return
    const index = this.#lost.findIndex((each) => each?.id === id)
    if (index >= 0) this.#forget(index)
  }

  due(): void {
    const { now, config, view, links } = this.#context
    if (now < this.#nextDue) return
    this.#expire()
    this.#nextDue = this.#size === 0 ? Infinity : now + this.#context.jitter(config.healing.interval)
    if (this.#context.random() >= config.healing.attempts / Math.max(view.size, 1)) return
    const isReady = (member: Member | undefined, i: number): boolean => {
      // Places may change hands: one that is back may still be taken for lost.
      if (member === undefined || links.has(member.id) || view.get(member.id) !== undefined) return false
      const nextTry = this.#tried.get(member.id)?.nextTry ?? (this.#since[i] as number) + config.healing.interval
      return nextTry <= now
    }
    const member = pickOne(() => this.#context.random(), this.#lost.filter(isReady))
    if (member === undefined) return
    const attempts = this.#tried.get(member.id) ?? { count: 0, nextTry: 0 }
    this.#tried.set(member.id, attempts)
    attempts.count += 1
    attempts.nextTry = now + Math.min(longestWait, config.healing.interval * 2 ** Math.min(attempts.count, 16))
    this.#context.effects.push({ type: 'connect', peer: member.id, addresses: member.addresses })
  }

  /** Forgets whom it remembered long enough, and closes the gaps that were left. */
  #expire(): void {
    const { now, config } = this.#context
    for (let i = 0; i < this.#lost.length && now - (this.#since[i] as number) >= config.healing.memory; i++)
      if (this.#lost[i] !== undefined) this.#forget(i)
    if (this.#lost.length < 2 * this.#size + 16) return
    this.#since = this.#since.filter((_, i) => this.#lost[i] !== undefined)
    this.#lost = this.#lost.filter((member) => member !== undefined)
  }

  #forget(index: number): void {
    const member = this.#lost[index]
    if (member === undefined) return
    this.#tried.delete(member.id)
    this.#lost[index] = undefined
    this.#size -= 1
  }

  #mark(id: NodeId): void {
    const { registry } = this.#context.facts
    const place = registry.memberPlace(id)
    if (place === undefined) this.#mayBeLost.fill(1) // it stands nowhere now, and may get any place
    else {
      if (place >= this.#mayBeLost.length) this.#mayBeLost = grown(this.#mayBeLost, registry.places - 1)
      this.#mayBeLost[place] = 1
    }
  }
}
