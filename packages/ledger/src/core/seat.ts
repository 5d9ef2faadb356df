/**
 * The name of a member's store: `id/nonce`. The voters are seats. The nonce is made together with
 * the store, and the store keeps it. So a member that lost its store has another seat, and nobody
 * counts the promises of the lost store for the new one.
 *
 * The seat of a founder is `id/founder-nonce`. A founding by ids or by a number counts only such
 * seats. Otherwise a founder that was cut off meanwhile could found the ledger a second time, with
 * newcomers and with founders that lost their stores.
 */
export type Seat = string

/** A seat, or the id of a member: {@link idOf} returns the id of both. */
export type Address = string

/** Matches a seat. Ids of members have no slash. */
export const SEAT = /^[^/\s]{1,128}\/(?:founder-)?[\da-f]{1,32}$/u

export function seatOf(id: string, nonce: string, isFounder: boolean): Seat {
  return `${id}/${isFounder ? 'founder-' : ''}${nonce}`
}

/** Returns the id of the member at this address. */
export function idOf(address: Address): string {
  const end = address.indexOf('/')
  return end === -1 ? address : address.slice(0, end)
}

export function isFounder(seat: Seat): boolean {
  return seat.includes('/founder-')
}
