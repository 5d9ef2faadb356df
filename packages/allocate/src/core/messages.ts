import * as v from 'valibot'
import { LONGEST } from './lease-input.ts'
import { GRACE } from './shares.ts'
import { listedRank, listedStart, MOST_LISTED } from './listed-groups.ts'

/**
 * Maximum bytes of a message of a holder, and of a granter. A list of 1,024 leases and 128 ranks
 * has 850 KB if all names of groups consist of characters that JSON escapes.
 */
export const [MAX_ASK_BYTES, MAX_ANSWER_BYTES] = [4096, 1_048_576]

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const span = v.pipe(v.number(), v.minValue(0, 'must be a time in ms'), v.maxValue(LONGEST, 'must be at most 31 days'))
/** A lease without a term would never end. */
export const term = v.pipe(v.number(), v.minValue(1, 'must be a time in ms'), v.maxValue(LONGEST, 'must be at most 31 days'))
export const name = v.pipe(v.string(), v.regex(/^[a-z_][\w.]{0,63}$/iu, 'must be a word, as in cpus'))
export const amount = v.pipe(v.number('must be a number'), v.finite('must be a number'), v.minValue(0, 'must not be below 0'))
export const amounts = v.pipe(
  v.record(name, amount),
  v.check((value) => Object.keys(value).length > 0, 'must name a capacity, as in { cpus: 2 }'),
  v.check((value) => Object.keys(value).length <= 16, 'must name at most 16 capacities'),
)

export const leaseRequest = v.object({
  amounts,
  for: term,
  from: span,
  background: v.boolean(),
  key: text(64),
  again: v.optional(v.boolean()),
})

/** A message of a holder. A stream is about one lease, and its first message asks for the lease. */
export const holderMessage = v.union([
  v.object({ ask: leaseRequest }),
  v.object({ renew: term }),
  v.object({ change: amounts }),
  v.object({ release: v.literal(true) }),
  /** Asks for all leases of the granter. */
  v.object({ list: v.literal(true) }),
])
export type HolderMessage = v.InferOutput<typeof holderMessage>

/**
 * A time until the begin or the end of a lease, ms. A lease may begin and end {@link GRACE} later
 * than asked for. The sums of times are rounded.
 */
const left = v.pipe(v.number(), v.minValue(0), v.maxValue(LONGEST + 2 * GRACE))
const granted = v.object({ number: v.pipe(v.number(), v.safeInteger()), startsIn: left, endsIn: left, amounts: v.record(text(64), amount) })
const listed = v.object({ ...granted.entries, holder: text(128), background: v.boolean(), group: v.optional(text(64)) })

/** A lease as its granter lists it. `group`: the group whose rank at the granter uses the lease. */
export type ListedLease = v.InferOutput<typeof listed>

const capacities = v.object({
  totals: v.record(text(64), amount),
  leases: v.pipe(v.array(listed), v.maxLength(1024), v.readonly()),
  /** The ranks of groups there. */
  ranks: v.pipe(v.array(listedRank), v.maxLength(MOST_LISTED), v.readonly()),
  /** The groups that the member starts or has started. */
  starts: v.pipe(v.array(listedStart), v.maxLength(MOST_LISTED), v.readonly()),
})

/** The capacities of a member, the leases of them, and its groups. */
export type Capacities = v.InferOutput<typeof capacities>

/** A message of a granter. */
export const granterMessage = v.union([
  v.object({ granted, incarnation: v.pipe(v.number(), v.safeInteger()) }),
  v.object({
    refused: v.object({
      code: v.picklist(['CAPACITY', 'NO_CAPACITY', 'TOO_MANY', 'NO_LEASE', 'DENIED']),
      message: text(512),
      earliest: v.optional(v.pipe(v.number(), v.minValue(0))),
    }),
  }),
  v.object({ changed: v.record(text(64), amount) }),
  v.object({ ended: v.picklist(['term', 'released', 'gone']) }),
  capacities,
])
export type GranterMessage = v.InferOutput<typeof granterMessage>
