/**
 * The name of a voter: `id/nonce`. The nonce is made together with an empty store, and lives as
 * long as the store does. So a member that lost its store has another seat, and nobody counts its
 * forgotten promises as those of the new one.
 *
 * The seat of a founder is `id/founder-nonce`. A founding by ids or by a number counts only such
 * seats. Otherwise founders that lost their stores, and newcomers, could found the ledger a second
 * time together with a founder that was cut off meanwhile.
 */
export type Seat = string

/** Matches a seat. Ids of members have no slash. */
export const SEAT = /^[^/\s]{1,128}\/(?:founder-)?[\da-f]{1,32}$/u

export function seatOf(id: string, nonce: string, isFounder: boolean): Seat {
  return `${id}/${isFounder ? 'founder-' : ''}${nonce}`
}

/** Returns the id of the member that has this seat. */
export function idOf(seat: Seat): string {
  const end = seat.indexOf('/')
  return end === -1 ? seat : seat.slice(0, end)
}

export function isFounder(seat: Seat): boolean {
  return seat.includes('/founder-')
}
