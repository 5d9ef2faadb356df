import type { Milliseconds } from '../core/calendar.ts'

/** A member that asked within this time still wants the token, ms. A guess: it asks each 50 ms. */
const STILL_WANTED: Milliseconds = 1000
/** The turns of so many members are remembered. A guess. */
const REMEMBERED = 4096

/**
 * The turns of members that want the probe token of a site: the member comes first that has had
 * none for the longest time. So a member that asks again and again does not keep the token.
 */
export class TokenTurns {
  /** The time of the last question of each member, and the number of its last turn. */
  readonly #members = new Map<string, { at: Milliseconds; turn: number }>()
  #turn = 0

  /** A member asks. Returns whether no other one that still wants the token comes first. */
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
