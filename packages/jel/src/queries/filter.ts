import { isWithin } from '@jel/overlay'
import { InvalidOptionError } from '../errors.ts'
import { idOf, type Member, type MemberRef } from '../base/member.ts'

/**
 * Selects the members to ask: those that meet all conditions in the view of this node when it asks.
 */
export interface QueryFilter {
  /** Only these members. The filter ignores ids of non-members. */
  ids?: readonly MemberRef[]
  /** The end of the location, in levels: `delft@nl` finds `node7@rack2@delft@nl`. */
  location?: string
  /** A pattern for the tag as text. A string is the source of a regular expression. */
  tag?: string | RegExp
}

/** Returns the members that meet a filter. Throws InvalidOptionError. */
export function matching(filter: QueryFilter | undefined, members: readonly Member[]): readonly Member[] {
  if (filter === undefined) return members
  const { ids, location, tag, ...rest } = filter
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new InvalidOptionError(`filter.${unknown}: there is no such field; there are ids, location, tag`)
  if (ids !== undefined && !Array.isArray(ids)) throw new InvalidOptionError('filter.ids: must be an array')
  if (location !== undefined && typeof location !== 'string') throw new InvalidOptionError('filter.location: must be a string')
  const wanted = ids && new Set(ids.map(idOf))
  const pattern = tag === undefined ? undefined : expression(tag)
  return members.filter(
    (member) =>
      (wanted === undefined || wanted.has(member.id)) &&
      (location === undefined || isWithin(member, location)) &&
      (pattern === undefined || new TextDecoder().decode(member.tag).search(pattern) >= 0),
  )
}

function expression(tag: string | RegExp): RegExp {
  try {
    return tag instanceof RegExp ? tag : new RegExp(tag, 'u')
  } catch (error) {
    throw new InvalidOptionError(`filter.tag: ${error instanceof Error ? error.message : String(error)}`)
  }
}
