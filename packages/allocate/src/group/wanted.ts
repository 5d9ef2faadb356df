import type { Amounts, Milliseconds } from '../core/calendar.ts'
import type { AgreementSend } from './agreement.ts'
import type { AgreementName, GroupContent, Said } from './messages.ts'

/** A group that a member wants to start. */
export interface Wanted {
  readonly group: string
  readonly program: string
  /** The name of the program for people. Default: `program`. */
  readonly title?: string | undefined
  /** The members that may take part, the best first. */
  readonly candidates: readonly string[]
  /** The number of ranks. */
  readonly count: number
  /** The group starts with at least this number of ranks if there are no more. */
  readonly atLeast: number
  /** Starts with the ranks that are possible now. Others join later, until there are `count`. */
  readonly grows: boolean
  /**
   * The number of members that are asked at first in addition to `count`, since some may refuse.
   */
  readonly spares: number
  /** The capacity that each rank needs. */
  readonly amounts: Amounts
  /** The longest time that the group runs, ms. */
  readonly for: Milliseconds
  readonly date: number
  /** JSON */
  readonly input: string
}

/** The locations of members, as the starter knows them. */
export interface Layout {
  /** Puts places in the order of their ranks: near places are neighbours. */
  readonly inOrder: (places: readonly string[]) => readonly string[]
  /** Returns the site of each place: the last level of its location. */
  readonly sitesOf: (places: readonly string[]) => string[]
}

/** A message for a place. */
export interface Send {
  readonly to: string
  readonly content: GroupContent
}

/** How the start of a group ended. `ranks`: their places. */
export type StartResult =
  | { readonly ranks: readonly string[] }
  | { readonly code: 'NEVER' | 'TIMEOUT' | 'STOPPED'; readonly message: string }

/**
 * The name of the starter in the agreements of a group. It is not that of its member, since the
 * member may also have ranks.
 */
export const STARTER = ''

/** Returns the messages of the starter about one agreement. */
export function fromStarter(about: AgreementName['about'], number: number, sends: readonly AgreementSend<unknown, unknown>[]): Send[] {
  return sends.map(({ to, message }) => ({ to, content: { agreement: { about, number, by: STARTER }, said: message as Said } }))
}

/** Returns the request to hold capacity for a rank. */
export function holdFor({ program, date, amounts, for: time }: Wanted): GroupContent {
  return { hold: { program, date, amounts: { ...amounts }, for: time } }
}
