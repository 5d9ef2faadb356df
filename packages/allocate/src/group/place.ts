/**
 * Maximum number of ranks of one group at one member. A member takes as many holds of another one.
 */
export const MAX_PLACES = 64

/**
 * Returns the name of a place for one rank: the member itself is its first place, `member/1` the
 * next one. The parts of a group at a member have such names, too: `group`, `group/1`.
 */
export function placeOf(owner: string, number: number): string {
  return number === 0 ? owner : `${owner}/${number}`
}

/** Returns the member of a place, or the group. */
export function ownerOf(place: string): string {
  const end = place.indexOf('/')
  return end === -1 ? place : place.slice(0, end)
}

export function numberOf(place: string): number {
  const end = place.indexOf('/')
  return end === -1 ? 0 : Number(place.slice(end + 1))
}
