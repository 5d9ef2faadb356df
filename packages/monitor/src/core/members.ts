import type { MemberRef } from '@jel/jel'

/** A member with its location, in levels from fine to coarse: `node7@rack2@delft@nl`. */
export interface Located {
  readonly id: string
  readonly location: string
}

/** Returns the id in a reference to a member. */
export function idOf(member: MemberRef): string {
  return typeof member === 'string' ? member : member.id
}

/** Returns the site of a member: the last level of its location, which is the coarsest one. */
export function siteOf({ location }: Pick<Located, 'location'>): string {
  return location.slice(location.lastIndexOf('@') + 1)
}

/**
 * Returns whether the location of a member ends with these levels: `delft@nl` is the end of
 * `node7@rack2@delft@nl`, and `elft@nl` is not. An empty end is that of members without a location.
 */
export function isWithin({ location }: Pick<Located, 'location'>, end: string): boolean {
  return `@${location}`.endsWith(`@${end}`)
}
