import type { MemberId } from './io.ts'

/**
 * Maximum number of tasks of a job that a member may hold before it gave an outcome. A guess: two
 * for each worker of a member with eight.
 */
const ON_TRUST = 16

/**
 * How this member's wait for a holder ended: the holder gave the outcome, passed the task on, no
 * longer has it, or made no progress for too long.
 */
export type Ending = 'outcome' | 'passed on' | 'dropped' | 'lost'

/**
 * Bounds the tasks of a job that each other member holds while this member waits for them. A member
 * could take or claim tasks and do nothing. So it may hold only sixteen tasks, and one more for
 * each outcome that it gave. TCP's window grows in the same way in slow start.
 */
export class Credit {
  readonly #members = new Map<MemberId, { held: number; outcomes: number }>()

  mayHold(member: MemberId): boolean {
    const { held, outcomes } = this.#of(member)
    return held < ON_TRUST + outcomes
  }

  /** Whether a task at this holder made no progress for too long. */
  hasLost(member: MemberId): boolean {
    return this.#of(member).held === Infinity
  }

  began(member: MemberId): void {
    this.#of(member).held++
  }

  /** The member is gone. It may hold tasks again when it is back. */
  gone(member: MemberId): void {
    const of = this.#members.get(member)
    if (of !== undefined && of.held !== Infinity) of.held = 0
  }

  /**
   * A holder that made no progress for too long may hold no other task. A dropped task counts until
   * its former holder is gone.
   */
  ended(member: MemberId, how: Ending): void {
    const of = this.#of(member)
    if (how === 'lost') of.held = Infinity
    else if (how !== 'dropped') of.held--
    if (how === 'outcome') of.outcomes++
  }

  #of(member: MemberId): { held: number; outcomes: number } {
    let of = this.#members.get(member)
    if (of === undefined) this.#members.set(member, (of = { held: 0, outcomes: 0 }))
    return of
  }
}
