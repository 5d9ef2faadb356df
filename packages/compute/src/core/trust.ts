import type { MemberId } from './io.ts'

/** Tasks of a job that are left to a member that gave no outcome yet. A guess: two for each worker of a member with eight. */
const ON_TRUST = 16

/** How a task ceases to be at another member: it gave the outcome, or told who has it now, or has it no more, or nothing came of it for too long. */
export type Ending = 'outcome' | 'passed on' | 'dropped' | 'lost'

/**
 * How many tasks of a job others hold while this member waits for them. Anybody may take tasks, or claim them, and do nothing. So a member may hold sixteen, and one more with each
 * outcome that it gave, as TCP's window grows in slow start.
 */
export class Trust {
  readonly #members = new Map<MemberId, { held: number; outcomes: number }>()

  mayHold(member: MemberId): boolean {
    const { held, outcomes } = this.#of(member)
    return held < ON_TRUST + outcomes
  }

  /** Whether nothing came of a task of its for too long. */
  hasLost(member: MemberId): boolean {
    return this.#of(member).held === Infinity
  }

  began(member: MemberId): void {
    this.#of(member).held++
  }

  /** A member that lost one, as nothing came of it for too long, may hold no other one. */
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
