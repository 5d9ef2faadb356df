import { Expression, lookupOf, type Monitor, type Value } from '@jel/monitor'
import { isWithin, type Member } from '@jel/jel'
import type { Milliseconds } from './core/calendar.ts'
import { InvalidRequestError, TooFewMatchError } from './errors.ts'
import type { Pattern } from './pairs/placement.ts'
import type { Placed } from './pairs/pairs.ts'

/** Maximum number of members that are asked at once. A guess: each needs a stream. */
const AT_ONCE = 64
/** Maximum number of names in `where` and `rank` together: the maximum of one read. */
const MAX_NAMES = 256
/**
 * A member must send its attributes within this time, ms. A guess: a selection does not wait for
 * longer.
 */
const READ_TIME = 2000

/** The members that are wanted. */
export interface SelectOptions {
  /** Default: all that match. */
  readonly count?: number | undefined
  /** A condition over constants and attributes of a member, as in `cpus >= 2 && arch == "x64"`. */
  readonly where?: string | undefined
  /**
   * An expression over the same names whose value is a number. Members with greater numbers come
   * first: `-load` prefers small loads. Members whose number is unknown come last.
   */
  readonly rank?: string | undefined
  /** Only these members, each named by its id or by the end of its id. Default: all. */
  readonly ids?: readonly string[] | undefined
  /** The end of the location, in levels. */
  readonly location?: string | undefined
  /**
   * Asks the members nearest to this member first: those at the same first level of the location.
   * If fewer than `count` match, it asks those at the next level, and so on. Default: no.
   */
  readonly nearest?: boolean | undefined
}

/** The members that are wanted, and the exchange of data between them. */
export interface PatternOptions extends SelectOptions {
  /**
   * Which of the `count` positions exchange data. Members are placed at the positions so that the
   * slowest pair that exchanges data is as fast as possible. The first member of the result is at
   * position 0. Only the 64 members with the greatest `rank` are considered, and `rank` decides
   * among equal placements. Default: none.
   */
  readonly pattern?: Pattern | undefined
  /**
   * The time to measure the pairs that were not measured within the last minute, ms. 0: no pair is
   * measured. Default: 30,000.
   */
  readonly timeout?: Milliseconds | undefined
  /** Ends the measurement. */
  readonly signal?: AbortSignal | undefined
}

/** A selected member. */
export interface Selected {
  readonly member: Member
  readonly rank: number | undefined
}

/**
 * The number of members that meet one condition. `unknown`: the number of members that lack an
 * attribute of the condition.
 */
export interface ConditionCount {
  readonly condition: string
  readonly holds: number
  readonly unknown: number
}

/** A selection with the reasons for it. */
export interface Selection {
  /** The best members first. */
  readonly selected: readonly Selected[]
  /** The number of members that were considered, and of those that match. */
  readonly considered: number
  readonly matching: number
  readonly conditions: readonly ConditionCount[]
  /** How the pattern was placed, if there is one. */
  readonly placed?: Placed
}

/**
 * Returns the members that match, the best first, and the counts for each condition.
 *
 * @param own the location of this member
 */
export async function selectMembers(members: readonly Member[], monitor: Monitor, options: SelectOptions, own = ''): Promise<Selection> {
  if (options.nearest !== true) return await selectAmong(members, monitor, options)
  const { count = 1 } = options
  let found: Selection | undefined
  const asked = new Set<string>()
  for (const level of [...levelsOf(own), '']) {
    const next = members.filter((member) => !asked.has(member.id) && (level === '' || isWithin(member, level)))
    for (const { id } of next) asked.add(id)
    found = joined(found, await selectAmong(next, monitor, options), count)
    if (found.matching >= count) break
  }
  return found as Selection
}

/** Returns the ends of a location, from the whole location to its last level. */
function levelsOf(location: string): string[] {
  const parts = location === '' ? [] : location.split('@')
  return parts.map((_, at) => parts.slice(at).join('@'))
}

/** Nearer members come before others, whatever the value of `rank`. */
function joined(near: Selection | undefined, far: Selection, count: number): Selection {
  if (near === undefined) return far
  return {
    selected: [...near.selected, ...far.selected].slice(0, count),
    considered: near.considered + far.considered,
    matching: near.matching + far.matching,
    conditions: near.conditions.map((each, at) => {
      const { holds = 0, unknown = 0 } = far.conditions[at] ?? {}
      return { ...each, holds: each.holds + holds, unknown: each.unknown + unknown }
    }),
  }
}

/** Chooses among these members. */
async function selectAmong(members: readonly Member[], monitor: Monitor, options: SelectOptions): Promise<Selection> {
  const { count = Infinity, ids, location } = options
  const where = parse('where', options.where)
  const rank = parse('rank', options.rank)
  if (!(count >= 1)) throw new InvalidRequestError('count: must be at least 1')
  const considered = members.filter(
    (member) => (ids === undefined || ids.some((id) => member.id.endsWith(id))) && (location === undefined || isWithin(member, location)),
  )
  const names = [...new Set([...(where?.names ?? []), ...(rank?.names ?? [])])]
  if (names.length > MAX_NAMES) throw new InvalidRequestError(`where, rank: ${names.length} names; at most ${MAX_NAMES} are allowed`)
  const known = await valuesOf(considered, names, monitor)
  const conditions = where?.conjuncts ?? []
  const counts = conditions.map(({ text }) => ({ condition: text, holds: 0, unknown: 0 }))
  const found: Selected[] = []
  for (const [at, member] of considered.entries()) {
    const lookup = (name: string): Value | undefined => (known[at] as ReadonlyMap<string, Value>).get(name)
    for (const [index, condition] of conditions.entries()) {
      const holds = condition.evaluate(lookup)
      const counted = counts[index] as { holds: number; unknown: number }
      if (holds === true) counted.holds++
      else if (typeof holds !== 'boolean') counted.unknown++
    }
    if (where !== undefined && where.evaluate(lookup) !== true) continue
    const ranked = rank?.evaluate(lookup)
    found.push({ member, rank: typeof ranked === 'number' ? ranked : undefined })
  }
  if (rank !== undefined && found.length > 0 && found.every((each) => each.rank === undefined))
    throw new InvalidRequestError(
      `rank: ${rank.text} is a number at none of the ${found.length} members that match; known of none: ${unknownOf(rank.names, known)}`,
    )
  found.sort((a, b) => (b.rank ?? -Infinity) - (a.rank ?? -Infinity) || (a.member.id < b.member.id ? -1 : 1))
  return { selected: found.slice(0, count), considered: considered.length, matching: found.length, conditions: counts }
}

/**
 * Throws TooFewMatchError if fewer members match than are wanted. The message has the number of
 * members for each condition, as HTCondor's `-better-analyze` has.
 */
export function checkEnough({ matching, considered, conditions }: Selection, count: number): void {
  if (matching >= count) return
  const parts = conditions.map(({ condition, holds, unknown }) => {
    const not = unknown === 0 ? '' : `, unknown of ${unknown}`
    return `${condition}: ${holds} of ${considered}${not}`
  })
  throw new TooFewMatchError(`${count} wanted, ${matching} match${parts.length === 0 ? '' : ` (${parts.join('; ')})`}`)
}

/** Returns the names of which no member has a value. */
function unknownOf(names: readonly string[], known: readonly ReadonlyMap<string, Value>[]): string {
  return names.filter((name) => known.every((values) => !values.has(name))).join(', ') || '-'
}

function parse(what: string, text: string | undefined): Expression | undefined {
  try {
    return text === undefined ? undefined : Expression.parse(text)
  } catch (error) {
    throw new InvalidRequestError(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Returns the values of the names at each member. A member is asked only for names that are not
 * among its constants.
 */
async function valuesOf(members: readonly Member[], names: readonly string[], monitor: Monitor): Promise<ReadonlyMap<string, Value>[]> {
  const found = members.map((member) => {
    const stated = lookupOf(member)
    const known = names.map((name): [string, Value | undefined] => [name, stated(name)])
    return new Map(known.filter((entry): entry is [string, Value] => entry[1] !== undefined))
  })
  const waiting = [...members.entries()]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, member] = next
      const values = found[at] as Map<string, Value>
      const missing = names.filter((name) => !values.has(name))
      if (missing.length === 0) continue
      // The attributes of a member that does not answer are unknown.
      const readings = await monitor.read(member, missing, { timeout: READ_TIME }).catch(() => [])
      for (const { name, value } of readings) if (value !== undefined) values.set(name, value)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return found
}
