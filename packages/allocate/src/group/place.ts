/**
 * Maximum number of ranks of one group at one member. It is also the maximum number of holds of a
 * member for one starter.
 */
export const MAX_PLACES = 64

/**
 * Returns the name of the place of one rank: `member` is the first place of a member, and
 * `member/1` its second place. The parts of a group at a member have names of the same form:
 * `group`, `group/1`.
 */
export function placeOf(owner: string, number: number): string {
  return number === 0 ? owner : `${owner}/${number}`
}

/** Returns the member of a place, or the group of a part. */
export function ownerOf(place: string): string {
  const end = place.indexOf('/')
  return end === -1 ? place : place.slice(0, end)
}

export function numberOf(place: string): number {
  const end = place.indexOf('/')
  return end === -1 ? 0 : Number(place.slice(end + 1))
}
