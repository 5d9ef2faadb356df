import * as v from 'valibot'
import type { Amounts, Milliseconds } from '../core/calendar.ts'
import { amounts, term } from '../core/messages.ts'
import { InvalidRequestError } from '../errors.ts'
import type { SelectOptions } from '../select.ts'
import { MAX_RANKS } from './messages.ts'

/** A group may run for this time by default, ms: a day. A guess. */
export const LONGEST_RUN: Milliseconds = 86_400_000

/** The ranks of a group. */
export interface GroupOptions extends SelectOptions {
  /** The number of ranks, at most 1,024. */
  readonly count: number
  /** So many ranks are enough if no more members can take one. Default: `count`, 1 with `grow`. */
  readonly atLeast?: number | undefined
  /**
   * Starts with those that are there now. Others join when the programs call `regroup`, until there
   * are `count`: members that get free, and new ones. Default: no.
   */
  readonly grow?: boolean | undefined
  /**
   * So many more members are asked at first, in place of those that refuse. Default: one for each
   * ten ranks.
   */
  readonly spares?: number | undefined
  /** The capacity that each rank needs of its member, besides one of its `ranks`. */
  readonly amounts?: Amounts | undefined
  /** The longest time that the group may run, ms. Default: a day. */
  readonly for?: Milliseconds | undefined
  /** The time until it has started, ms. Default: 10,000. */
  readonly timeout?: Milliseconds | undefined
  /** The input of the programs: JSON, at most 1 MiB. */
  readonly input?: unknown
  /** The name of the program in lists of groups, at most 64 characters. Default: `program`. */
  readonly title?: string | undefined
  /** Gives the start up. */
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
