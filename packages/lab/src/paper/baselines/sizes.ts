/**
 * Bytes that the original implementation puts on the wire, application payload only, as the paper's
 * Table II counts them. The layouts are those of Ibis IPL 2 (`ibis.ipl.registry`, as of January
 * 2009, when the distributed implementation learned to send random subsets): Java's `DataOutput`
 * with strings as two bytes of length and their characters.
 */

let member = 100

/**
 * A member: location, pool name, two addresses and a number, some 100 to 140 bytes in the layout.
 * Fitted: 100 brings Table II's rows closest.
 */
export function memberBytes(): number {
  return member
}

/** Sets another size, for all messages of this thread. */
export function assumeMemberBytes(bytes: number): void {
  member = bytes
}

/**
 * A change of the pool: the member, with the time, the kind, an empty description and the number of
 * members.
 */
export function eventBytes(): number {
  return member + 14
}

/**
 * One entry of the state that a newcomer gets: the member, and the event of its join, which
 * contains the member again.
 */
export function stateEntryBytes(): number {
  return member + eventBytes()
}

/** Time, sizes, no elections, no signals. */
export const stateHeaderBytes = 22

/** Magic byte and operation code. */
export const opcodeBytes = 2

export const answerBytes = 1
export const countBytes = 4
export const timeBytes = 4

/** The pool's name with its length: `JoinTest-2000` or the like. */
export const poolNameBytes = 16

/** Versions, settings and credentials that a newcomer sends besides itself. */
export const joinSettingsBytes = 150

/** A UUID as two longs. */
export const uuidBytes = 16

/**
 * The distributed implementation names members by UUIDs in text, where the central server numbers
 * them.
 */
export const uuidTextBytes = 32

/**
 * A member in a gossip of the distributed implementation: with the time since it was last seen, the
 * number of witnesses, and two flags.
 */
export function gossipEntryBytes(): number {
  return member + uuidTextBytes + 8 + 4 + 2
}

/**
 * One entry of ARRG's cache: an address of the SmartSockets library (machine, port, hub) and a
 * flag.
 */
export const arrgEntryBytes = 50
