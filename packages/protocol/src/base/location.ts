/** A member with its location, in levels from fine to coarse: `node7@rack2@delft@nl`. */
export interface Located {
  readonly location: string
}

/** Returns the site of a member: the last level of its location, which is the coarsest one. */
export function siteOf({ location }: Located): string {
  return location.slice(location.lastIndexOf('@') + 1)
}

/**
 * Returns whether the location of a member ends with these levels: `delft@nl` is the end of
 * `node7@rack2@delft@nl`, and `elft@nl` is not. An empty end is that of members without a location.
 */
export function isWithin({ location }: Located, end: string): boolean {
  return `@${location}`.endsWith(`@${end}`)
}
