import * as v from 'valibot'
import type { Amounts, Milliseconds } from '../core/calendar.ts'
import { amounts, term } from '../core/messages.ts'
import { InvalidRequestError } from '../errors.ts'
import type { SelectOptions } from '../select.ts'
import { MAX_RANKS } from './messages.ts'

/** A group may run for this time by default, ms: a day. A guess. */
export const LONGEST_RUN: Milliseconds = 86_400_000

/** How many ranks a group has, and at which members. */
export interface GroupOptions extends SelectOptions {
  /** The number of ranks, at most 1,024. */
  readonly count: number
  /**
   * The group starts with at least this number of ranks if no more members can take one. Default:
   * `count`, or 1 with `grow`.
   */
  readonly atLeast?: number | undefined
  /**
   * Starts with the ranks that are possible now. More ranks join later, at members that become free
   * and at new members, until there are `count`. They join when the programs call `regroup`.
   * Default: no.
   */
  readonly grow?: boolean | undefined
  /**
   * The number of members that are asked at first in addition to `count`, since some may refuse.
   * Default: one for each ten ranks.
   */
  readonly spares?: number | undefined
  /** The capacity that each rank needs at its member, in addition to 1 of the capacity `ranks`. */
  readonly amounts?: Amounts | undefined
  /** The longest time that the group may run, ms. Default: a day. */
  readonly for?: Milliseconds | undefined
  /** The start fails after this time, ms. Default: 10,000. */
  readonly timeout?: Milliseconds | undefined
  /** The input of the programs: JSON, at most 1 MiB. */
  readonly input?: unknown
  /** The name of the program in lists of groups, at most 64 characters. Default: `program`. */
  readonly title?: string | undefined
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined
}

const groupOptions = v.object({
  count: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_RANKS)),
  atLeast: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  spares: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MAX_RANKS))),
  timeout: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(2 ** 31 - 1))),
  amounts: v.optional(amounts),
  for: v.optional(term),
  title: v.optional(v.pipe(v.string(), v.maxLength(64))),
})

/** @throws InvalidRequestError */
export function checkGroupOptions(options: GroupOptions): void {
  const { issues } = v.safeParse(groupOptions, options)
  if (issues !== undefined) throw new InvalidRequestError(`${v.getDotPath(issues[0]) ?? 'group'}: ${issues[0].message}`)
}
