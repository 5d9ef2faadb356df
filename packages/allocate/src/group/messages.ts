import * as v from 'valibot'
import { LONGEST } from '../core/lease-input.ts'
import { amount, name } from '../core/messages.ts'
import { MAX_PLACES } from './place.ts'

/** Maximum number of ranks of a group. A guess. */
export const MAX_RANKS = 1024
/** Maximum bytes of an input and of a result, as JSON. A guess. */
const MAX_VALUE_BYTES = 1_048_576
/**
 * Maximum bytes of a message about a group: the input of a program, and its ranks with their sites.
 * A guess. The input is JSON within JSON, so each quote and each backslash of it takes two bytes,
 * as in a site. The ids and the sites of 1,024 ranks take up to 690,000 bytes.
 */
export const MAX_GROUP_BYTES = 2 * MAX_VALUE_BYTES + 786_432

/** Maximum number of characters of one output of a rank. */
export const MAX_OUTPUT = 65_536

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
/** The number of a place at its member. */
const place = v.pipe(count, v.maxValue(MAX_PLACES - 1))
const ranks = v.pipe(v.array(text(128)), v.maxLength(MAX_RANKS), v.readonly())
/** The site of each rank: the last level of its location, which has at most 256 bytes. */
const sites = v.pipe(v.array(text(256)), v.maxLength(MAX_RANKS), v.readonly())
/** Whether each rank has a site. */
const fit = (value: { readonly ranks: readonly string[]; readonly sites: readonly string[] }): boolean =>
  value.ranks.length === value.sites.length
const outcome = v.union([v.object({ value: v.unknown() }), v.object({ error: text(4096) })])

const roles = {
  number: count,
  /** Empty: the sender is the starter of the group. */
  by: v.optional(v.literal('')),
  /** Empty: the message is for the starter of the group. */
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
    said: v.union([
      v.object({ report: v.picklist(['shrink', 'grow']) }),
      v.pipe(
        v.object({ decided: ranks, sites }),
        v.check(({ decided, sites: given }) => fit({ ranks: decided, sites: given })),
      ),
    ]),
  }),
])

/** The content of a message, without its group and its places. */
const content = v.union([
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
  /** `places`: the number of ranks that fit into the capacity that the member offers. */
  v.object({ holds: v.picklist(['held', 'waits', 'taken']), places: v.optional(count, 1) }),
  v.object({ refused: text(512) }),
  v.object({
    lock: v.pipe(
      v.object({
        attempt: count,
        ranks: v.pipe(ranks, v.minLength(1)),
        sites,
        input: text(MAX_VALUE_BYTES),
        grows: v.optional(v.literal(true)),
        joins: v.optional(v.literal(true)),
      }),
      v.check((lock) => fit(lock)),
    ),
  }),
  v.object({ letGo: v.literal(true) }),
  agreed,
  /** The program of a rank has ended. This is for the member that started the group. */
  v.object({ outcome }),
  /**
   * Asks a rank whether it takes part in this attempt. `behind`: the answer must come after the
   * messages of its program.
   */
  v.object({ asks: count, behind: v.optional(v.literal(true)) }),
  /** The rank takes no part any more. */
  v.object({ finished: v.literal(true) }),
  /** The calls of all ranks in this epoch fail from now on. */
  v.object({ revoked: count }),
  /** The member that started the group ends it. */
  v.object({ stop: text(512) }),
  /** Output of a rank, for the member that started the group. */
  v.object({ output: text(MAX_OUTPUT), stream: v.picklist(['stdout', 'stderr']) }),
])

/** A message about a group, from one member to another. */
export const groupMessage = v.intersect([
  v.object({
    group: v.pipe(v.string(), v.regex(/^[\w-]{16,64}$/u)),
    /**
     * The numbers of the places of the sender and of the receiver at their members. Default: the
     * first place.
     */
    from: v.optional(place, 0),
    to: v.optional(place, 0),
  }),
  content,
])

export type Outcome = v.InferOutput<typeof outcome>
/** The subject and the number of an agreement, and the roles of the sender and the receiver. */
export type AgreementName = v.InferOutput<typeof agreed>['agreement']
/** A report to the leader of an agreement, or its decision. */
export type Said = v.InferOutput<typeof agreed>['said']
export type GroupContent =
  | Exclude<v.InferOutput<typeof content>, { agreement: unknown }>
  | { readonly agreement: AgreementName; readonly said: Said }
  /** The same as `finished`, sent after the messages of the program. It has no JSON of its own. */
  | { readonly finished: true; readonly behind: true }

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
