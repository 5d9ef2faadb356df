import type { Milliseconds } from '../core/calendar.ts'

/**
 * A member that asked within this time still wants the token, ms. A guess: a waiting member asks
 * each 50 ms.
 */
const STILL_WANTED: Milliseconds = 1000
/** Maximum number of members whose turns are remembered. A guess. */
const REMEMBERED = 4096

/**
 * The turns of the members that want the probe token of a site. The next turn is that of the member
 * that has not had the token for the longest time. So a member that asks all the time can't keep
 * the token.
 */
export class TokenTurns {
  /** The time of the last question of each member, and the number of its last turn. */
  readonly #members = new Map<string, { at: Milliseconds; turn: number }>()
  #turn = 0

  /**
   * A member asks for the token. Returns whether it has the next turn among the members that still
   * want the token.
   */
  asks(member: string, now: Milliseconds): boolean {
    const { turn = 0 } = this.#members.get(member) ?? {}
    this.#remember(member, now, turn)
    return [...this.#members.values()].every((each) => each.turn >= turn || now - each.at >= STILL_WANTED)
  }

  /** A member has got the token. */
  took(member: string): void {
    this.#remember(member, -Infinity, ++this.#turn)
  }

  #remember(member: string, at: Milliseconds, turn: number): void {
    this.#members.delete(member)
    this.#members.set(member, { at, turn })
    const [oldest] = this.#members.keys()
    if (this.#members.size > REMEMBERED && oldest !== undefined) this.#members.delete(oldest)
  }
}
