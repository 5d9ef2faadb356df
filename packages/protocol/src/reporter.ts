/**
 * The reporter: notifies the application of lives. For each life it reports at most one `joined`,
 * then at most one of `left` and `died`.
 *
 * The view's transitions already have this form. The reporter keeps this form when the node empties
 * the view. A node that slept for longer than others remember the dead forgets everything, and
 * joins afresh. Of a life that the application knew before, the reporter then reports only the end.
 * The first peer that the node meets may have slept as well. Then it knows no more than the node.
 * So the reporter waits until half of the pool is in the view again, or for an hour. Then it
 * reports the missing lives as ended.
 */
import type { Member, Milliseconds, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Change } from './facts/membership-view.ts'

/**
 * Longest wait for the pool, ms. Guess: if less than half of the pool has come back by then, the
 * rest is gone.
 */
const longestWait = 3_600_000

export class Reporter {
  readonly #context: Context
  /** Lives that the application knew before the node emptied the view. */
  readonly #former = new Map<NodeId, Member>()
  /** Number of these lives when the node emptied the view, and the time. */
  #formerSize = 0
  #formerAt: Milliseconds = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Remembers these members, since the node empties the view next. */
  remember(members: Iterable<Member>): void {
    for (const member of members) if (member.id !== this.#context.id) this.#former.set(member.id, member)
    this.#formerSize = this.#former.size
    this.#formerAt = this.#context.now
  }

  report(change: Change): void {
    const { type, member } = change
    if (this.#former.size === 0 || type === 'updated') {
      this.#context.notify(change)
      return
    }
    const former = this.#former.get(member.id)
    this.#former.delete(member.id)
    const isSame = former?.incarnation === member.incarnation
    if (former !== undefined && !isSame) this.#context.notify({ type: 'died', member: former })
    if (!isSame || type !== 'joined') this.#context.notify({ type, member })
  }

  /**
   * Handles the end of a reconciliation. If enough of the pool is in the view again, former lives
   * that it lacks have ended.
   */
  settle(): void {
    const { view, now } = this.#context
    if (this.#former.size === 0 || (2 * (view.size - 1) < this.#formerSize && now - this.#formerAt < longestWait)) return
    for (const member of this.#former.values()) this.#context.notify({ type: 'died', member })
    this.#former.clear()
  }
}
