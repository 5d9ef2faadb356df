/**
 * Bytes that the original implementation sends, application payload only, as Table II of the paper
 * counts them. The layouts are those of Ibis IPL 2 (`ibis.ipl.registry`) of January 2009, when the
 * distributed implementation learned to send random subsets. They use Java's `DataOutput`: a string
 * is a length of two bytes and its characters.
 */

let member = 100

/**
 * Bytes of a member: location, pool name, two addresses and a number, which take some 100 to 140
 * bytes in the layout. Fitted: with 100, the results are closest to the rows of Table II.
 */
export function memberBytes(): number {
  return member
}

/** Sets another size of a member, for all messages of this thread. */
export function assumeMemberBytes(bytes: number): void {
  member = bytes
}

/**
 * Bytes of an event: the member, the time, the kind, an empty description and the number of
 * members.
 */
export function eventBytes(): number {
  return member + 14
}

/**
 * Bytes of one entry of the state that a newcomer gets: the member, and the event of its join,
 * which contains the member again.
 */
export function stateEntryBytes(): number {
  return member + eventBytes()
}

/** Time and sizes. There are no elections and no signals. */
export const stateHeaderBytes = 22

/** The magic byte and the operation code. */
export const opcodeBytes = 2

export const answerBytes = 1
export const countBytes = 4
export const timeBytes = 4

/** The pool's name with its length, such as `JoinTest-2000`. */
export const poolNameBytes = 16

/** Versions, settings and credentials, which a newcomer sends besides itself. */
export const joinSettingsBytes = 150

/** A UUID as two longs. */
export const uuidBytes = 16

/**
 * A UUID as text. The distributed implementation names members by UUIDs. The central server numbers
 * them.
 */
export const uuidTextBytes = 32

/**
 * Bytes of a member in a gossip of the distributed implementation: the member, the time without
 * sighting, the number of witnesses, and two flags.
 */
export function gossipEntryBytes(): number {
  return member + uuidTextBytes + 8 + 4 + 2
}

/**
 * Bytes of one entry of ARRG's cache: an address of the SmartSockets library (machine, port, hub)
 * and a flag.
 */
export const arrgEntryBytes = 50
