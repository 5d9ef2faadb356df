import * as v from 'valibot'
import { fromJson, toJson } from './json.ts'
import { SEAT, idOf, isFounder, type Seat } from './seat.ts'

/** Maximum voters of one group. An acknowledgement is about 100 bytes, so more would be cheap. */
const MAX_VOTERS = 15

/**
 * A set of voters, of which more than half must agree. `seats` names the voters. `ids` and `anyOf`
 * occur only in the first configuration of a ledger, and count only the seats of founders. With
 * `ids`, more than half of these members must agree. With `anyOf`, any members must agree, and
 * their number is more than half of `anyOf`.
 */
const group = v.union([
  v.strictObject({ seats: v.pipe(v.array(v.pipe(v.string(), v.regex(SEAT))), v.minLength(1), v.maxLength(MAX_VOTERS)) }),
  v.strictObject({ ids: v.pipe(v.array(v.pipe(v.string(), v.maxLength(128))), v.minLength(1), v.maxLength(MAX_VOTERS)) }),
  v.strictObject({ anyOf: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(1_000_000)) }),
])
export type Group = v.InferOutput<typeof group>

export const configurationSchema = v.strictObject({ groups: v.pipe(v.array(group), v.maxLength(2), v.readonly()) })

/**
 * The voters in force: one group, or two during a change (Raft §6, joint consensus). The seat of a
 * member that enters a ledger begins without a group.
 */
export interface Configuration {
  readonly groups: readonly Group[]
}

export const NO_VOTERS: Configuration = { groups: [] }

/** Whether these seats are a quorum of each group. */
export function isQuorum({ groups }: Configuration, seats: Iterable<Seat>): boolean {
  const present = new Set(seats)
  return groups.length > 0 && groups.every((each) => isMajority(each, present))
}

function isMajority(group: Group, present: ReadonlySet<Seat>): boolean {
  const voters = [...present].filter((seat) => counts(group, seat))
  if ('seats' in group) return 2 * voters.length > group.seats.length
  return 2 * new Set(voters.map(idOf)).size > ('ids' in group ? group.ids.length : group.anyOf)
}

/** Whether the vote of a seat counts in a group. */
function counts(group: Group, seat: Seat): boolean {
  if ('seats' in group) return group.seats.includes(seat)
  return isFounder(seat) && ('anyOf' in group || group.ids.includes(idOf(seat)))
}

/** Whether the vote of a seat counts in one of the groups. */
export function hasSeat({ groups }: Configuration, seat: Seat): boolean {
  return groups.some((each) => counts(each, seat))
}

/** The seats that the groups name, in their order. */
export function seatsOf({ groups }: Configuration): readonly Seat[] {
  return [...new Set(groups.flatMap((each) => ('seats' in each ? each.seats : [])))]
}

/** Whether a group names no seats. Such a configuration lasts until the founding is over. */
export function isFounding({ groups }: Configuration): boolean {
  return groups.some((each) => !('seats' in each))
}

/** The size of a pool whose ledger is founded by a number of ids. Undefined: another founding. */
export function sizeOf({ groups }: Configuration): number | undefined {
  return groups.flatMap((each) => ('anyOf' in each ? [each.anyOf] : []))[0]
}

/** Whether a group consists of exactly these seats. */
export function isGroupOf(group: Group | undefined, seats: readonly Seat[]): boolean {
  if (group === undefined || !('seats' in group)) return false
  return group.seats.length === new Set(seats).size && seats.every((seat) => group.seats.includes(seat))
}

export function encodeConfiguration(configuration: Configuration): Uint8Array {
  return toJson(configuration)
}

/** Returns undefined for bytes that are no configuration. */
export function decodeConfiguration(bytes: Uint8Array): Configuration | undefined {
  const configuration = fromJson(configurationSchema, bytes)
  return configuration !== undefined && configuration.groups.length > 0 ? configuration : undefined
}
