/** The record by which an administrator divides the processor time among the owners of jobs. */
import { Encoder } from 'cbor-x'
import { InvalidOptionError, type PoolRecord } from '@jel/jel'
import * as v from 'valibot'
import type { SharePolicy } from '../core/shares.ts'

/** The name of the record. */
export const SHARES = 'jel.compute/shares'
/** Least characters of an owner's id in a policy. A guess: two owners seldom share eight. */
export const LEAST_ID = 8
/** Maximum number of shares, of tickets, and of the factor. Guesses, as for tickets of a member. */
const MOST = 1_000_000
/** Maximum half-life, ms: ten years. A guess: a longer half-life hardly differs from none. */
const MAX_HALF_LIFE = 10 * 365 * 86_400_000

/** The shares of owners, as an administrator states them. */
export interface Shares {
  /** The share of each owner, by its id or by the end of its id. Only the ratio counts. */
  readonly shares: Readonly<Record<string, number>>
  /** The share of all other owners together. Default: 0; they get what the others leave. */
  readonly other?: number | undefined
  /** Use of processor time counts half after this time, ms. Default: use counts for ever. */
  readonly halfLife?: number | undefined
  /** Further tickets of owners, beside the 1,000 tickets of all shares. Default: none. */
  readonly override?: Readonly<Record<string, number>> | undefined
  /**
   * An owner that was away gets at most this multiple of its share until it has caught up. Default:
   * all that the others leave.
   */
  readonly compensation?: number | undefined
}

const amount = (what: string) => v.pipe(v.number(what), v.minValue(0, what), v.maxValue(MOST, what))
const id = `owner: must be the id of an owner, or at least its last ${LEAST_ID} characters`
const owners = v.record(
  v.pipe(v.string(), v.regex(/^\w*$/u, id), v.minLength(LEAST_ID, id), v.maxLength(128, id)),
  amount('tickets: must be from 0 to 1,000,000'),
)
const halfLife = 'halfLife: must be milliseconds above 0, at most ten years'
const schema = v.strictObject({
  shares: owners,
  other: v.optional(amount('other: must be from 0 to 1,000,000')),
  halfLife: v.optional(v.pipe(v.number(halfLife), v.minValue(1, halfLife), v.maxValue(MAX_HALF_LIFE, halfLife))),
  override: v.optional(owners),
  compensation: v.optional(amount('compensation: must be from 0 to 1,000,000')),
})

const encoder = new Encoder({ structuredClone: false, useRecords: false, mapsAsObjects: true, tagUint8Array: false })

/** @throws InvalidOptionError that names the field */
export function encodeShares(shares: Shares): Uint8Array {
  const { issues, output } = v.safeParse(schema, shares)
  if (issues !== undefined) throw new InvalidOptionError(`shares: ${issues[0].message}`)
  return Uint8Array.from(encoder.encode(withoutNothing(output)))
}

/** Returns undefined if the record has no shares. */
export function readShares({ name, value }: Pick<PoolRecord, 'name' | 'value'>): Shares | undefined {
  if (name !== SHARES || value === undefined) return undefined
  try {
    const { success, output } = v.safeParse(schema, encoder.decode(value))
    return success ? output : undefined
  } catch {
    return undefined
  }
}

export function policyOf({ shares, other = 0, halfLife: half, override = {}, compensation }: Shares): SharePolicy {
  return {
    shares: new Map(Object.entries(shares)),
    other,
    halfLife: half,
    override: new Map(Object.entries(override)),
    compensation,
  }
}

function withoutNothing<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value
}
