/**
 * The reporter: what the application hears of lives. For each life at most one `joined`, then at most one of `left` and `died`.
 *
 * The view's transitions already have this form. The reporter keeps it when the view is emptied: a process that slept longer than others
 * remember the dead forgets everything and joins afresh, and of the lives it knew it then reports only the ends.
 */
import type { Member, NodeId } from './base/io.ts'
import type { Context } from './context/context.ts'
import type { Change } from './facts/view.ts'

export class Reporter {
  readonly #context: Context
  /** Lives that the application was told of before the view was emptied. */
  readonly #former = new Map<NodeId, Member>()

  constructor(context: Context) {
    this.#context = context
  }

  /** The view is about to be emptied. */
  remember(members: Iterable<Member>): void {
    for (const member of members) if (member.id !== this.#context.id) this.#former.set(member.id, member)
  }

  report(change: Change): void {
    const { type, member } = change
    if (this.#former.size === 0) {
      this.#context.notify(change)
      return
    }
    const former = this.#former.get(member.id)
    this.#former.delete(member.id)
    const isSame = former?.incarnation === member.incarnation
    if (former !== undefined && !isSame) this.#context.notify({ type: 'died', member: former })
    if (!isSame || type !== 'joined') this.#context.notify({ type, member })
  }

  /** The view is whole again: who is not in it has died. */
  settle(): void {
    for (const member of this.#former.values()) this.#context.notify({ type: 'died', member })
    this.#former.clear()
  }
}
