import * as v from 'valibot'
import { LONGEST } from '../core/lease-input.ts'
import { amount, name } from '../core/messages.ts'
import { MAX_PLACES } from './place.ts'

/** Maximum number of ranks of a group. From GRID. */
export const MAX_RANKS = 1024
/** Maximum bytes of an input and of a result, as JSON. A guess. */
const MAX_VALUE_BYTES = 1_048_576
/**
 * Maximum bytes of a message about a group: the input of a program, and its ranks. A guess. The
 * input is JSON within JSON, so each quote and each backslash of it takes two bytes.
 */
export const MAX_GROUP_BYTES = 2 * MAX_VALUE_BYTES + 524_288

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** A member has several ranks of a group at several places. */
const place = v.pipe(count, v.maxValue(MAX_PLACES - 1))
const ranks = v.pipe(v.array(text(128)), v.maxLength(MAX_RANKS))
/** The coarsest level of the location of each rank. */
const sites = v.optional(v.pipe(v.array(text(128)), v.maxLength(MAX_RANKS)))
const outcome = v.union([v.object({ value: v.unknown() }), v.object({ error: text(4096) })])

const roles = {
  number: count,
  /** The role of the sender, empty: it starts the group. */
  by: v.optional(v.literal('')),
  /** The role of the receiver. */
  to: v.optional(v.literal('')),
}

/**
 * A report to the leader of an agreement, or its decision: whether the group starts, whether all
 * have checked in, or which ranks take part in the next epoch.
 */
const agreed = v.union([
  v.object({
    agreement: v.object({ about: v.literal('start'), ...roles }),
    said: v.union([v.object({ report: v.picklist(['locked', 'lost']) }), v.object({ decided: v.picklist(['start', 'retry']) })]),
  }),
  v.object({
    agreement: v.object({ about: v.literal('checkIn'), ...roles }),
    said: v.union([v.object({ report: v.literal('ready') }), v.object({ decided: v.picklist(['run', 'over']) })]),
  }),
  v.object({
    agreement: v.object({ about: v.literal('shrink'), ...roles }),
    said: v.union([v.object({ report: v.picklist(['ready', 'grow']) }), v.object({ decided: ranks, sites })]),
  }),
])

/** A message about a group, from one member to another. */
export const groupMessage = v.intersect([
  v.object({
    group: v.pipe(v.string(), v.regex(/^[\w-]{16,64}$/u)),
    /** The place of the sender at its member, and that of the receiver. Default: the first one. */
    from: v.optional(place, 0),
    to: v.optional(place, 0),
  }),
  v.union([
    v.object({
      hold: v.object({
        program: name,
        date: count,
        amounts: v.pipe(
          v.record(name, amount),
          v.check((value) => Object.keys(value).length <= 16, 'must name at most 16 capacities'),
        ),
        for: v.pipe(v.number(), v.minValue(1), v.maxValue(LONGEST)),
      }),
    }),
    /** `places`: so many ranks fit into all that the member offers. */
    v.object({ holds: v.picklist(['held', 'waits', 'taken']), places: v.optional(count, 1) }),
    v.object({ refused: text(512) }),
    v.object({
      lock: v.object({
        attempt: count,
        ranks: v.pipe(ranks, v.minLength(1)),
        /** Default: the starter is of an earlier release. */
        sites,
        input: text(MAX_VALUE_BYTES),
        grows: v.optional(v.literal(true)),
        joins: v.optional(v.literal(true)),
      }),
    }),
    v.object({ letGo: v.literal(true) }),
    agreed,
    /** The program of a rank has ended. For the member that started the group. */
    v.object({ outcome }),
    /**
     * Asks a rank whether it still takes part, with its attempt. `behind`: the answer is to come
     * behind the messages of the program.
     */
    v.object({ asks: count, behind: v.optional(v.literal(true)) }),
    /** The rank takes no part any more. */
    v.object({ finished: v.literal(true) }),
    /** The calls of all ranks fail from now on. */
    v.object({ revoked: count }),
    /** The member that started the group ends it. */
    v.object({ stop: text(512) }),
    /** Output of a rank, for the member that started the group. */
    v.object({ output: text(65_536), stream: v.picklist(['stdout', 'stderr']) }),
  ]),
])

export type Outcome = { readonly value: unknown } | { readonly error: string }
export interface AgreementName {
  readonly about: 'start' | 'checkIn' | 'shrink'
  readonly number: number
  readonly by?: '' | undefined
  readonly to?: '' | undefined
}
export type Said =
  | { readonly report: string }
  | { readonly decided: string | readonly string[]; readonly sites?: readonly string[] | undefined }
/** The content of a message without its group and its places. */
export type GroupContent =
  | { readonly hold: { readonly program: string; readonly date: number; readonly amounts: Record<string, number>; readonly for: number } }
  | { readonly holds: 'held' | 'waits' | 'taken'; readonly places: number }
  | { readonly refused: string }
  | {
      readonly lock: {
        readonly attempt: number
        readonly ranks: string[]
        readonly sites?: string[] | undefined
        readonly input: string
        readonly grows?: true | undefined
        readonly joins?: true | undefined
      }
    }
  | { readonly letGo: true }
  | { readonly agreement: AgreementName; readonly said: Said }
  | { readonly outcome: Outcome }
  | { readonly asks: number; readonly behind?: true | undefined }
  /** `behind`: it goes as a message of the program, behind the others. */
  | { readonly finished: true; readonly behind?: true }
  | { readonly revoked: number }
  | { readonly stop: string }
  | { readonly output: string; readonly stream: 'stdout' | 'stderr' }

/**
 * Returns a value as JSON; undefined is null.
 *
 * @param what names the value in the error
 * @throws RangeError for more than {@link MAX_VALUE_BYTES}
 */
export function jsonOf(what: string, value: unknown): string {
  const text = JSON.stringify(value ?? null)
  const size = new TextEncoder().encode(text).length
  if (size > MAX_VALUE_BYTES) throw new RangeError(`${what} has ${size} bytes as JSON; at most ${MAX_VALUE_BYTES} are allowed`)
  return text
}
