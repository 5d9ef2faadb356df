/**
 * The reporter: notifies the application of lives. For each life it reports at most one `joined`,
 * then at most one of `left` and `died`.
 *
 * The view's transitions already have this form. The reporter keeps it when the view is emptied. A
 * process that slept longer than others remember the dead forgets everything and joins afresh. Of
 * the lives that it knew before, it then reports only the ends. Two such processes that meet first
 * have no more knowledge than each other. So the ends are reported when most of the pool is in the
 * view again, or after an hour.
 */
import type { Member, Milliseconds, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Change } from './facts/membership-view.ts'

/** ms. Guess: a pool of which most is not met again in that time is gone. */
const longestWait = 3_600_000

export class Reporter {
  readonly #context: Context
  /** Lives that the application knew before the view was emptied. */
  readonly #former = new Map<NodeId, Member>()
  /** Their number, and the time. */
  #formerSize = 0
  #formerAt: Milliseconds = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Remembers these members, since the view will be emptied. */
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
   * Handles the end of a reconciliation. If the view is whole again, former lives that it lacks
   * have ended.
   */
  settle(): void {
    const { view, now } = this.#context
    if (this.#former.size === 0 || (2 * (view.size - 1) < this.#formerSize && now - this.#formerAt < longestWait)) return
    for (const member of this.#former.values()) this.#context.notify({ type: 'died', member })
    this.#former.clear()
  }
}
