/**
 * The errors of the overlay. Each class has a `code` that stays the same across versions. `message`
 * is for people and names the cause.
 */
import { JelError } from '@jel/protocol'

/** The pool's name is empty, too long, or has control characters. */
export class InvalidPoolNameError extends JelError {
  readonly code = 'INVALID_POOL_NAME'
}

/**
 * An address to listen on, to announce or to enter through is not a multiaddr, or TCP can't use it.
 */
export class InvalidAddressError extends JelError {
  readonly code = 'INVALID_ADDRESS'
}

/**
 * The host can't listen at the given address: the port is in use, the address is not of this
 * machine, or the process has no permission.
 */
export class ListenError extends JelError {
  readonly code = 'LISTEN_FAILED'
}

/** The pool key is not the text of a `swarm.key`. */
export class PoolKeyError extends JelError {
  readonly code = 'INVALID_POOL_KEY'
}

/**
 * An invalid change of a pool's keys. For example, the pool is open, the key is not installed, or
 * it is the primary key and can't be removed.
 */
export class PoolKeysError extends JelError {
  readonly code = 'POOL_KEYS'
}

/** The file of a pool key can't be read, or other users can read it. */
export class PoolKeyFileError extends JelError {
  readonly code = 'POOL_KEY_FILE'
}

/** The identity file can't be read or written: permissions, a full disk, no such folder. */
export class IdentityFileError extends JelError {
  readonly code = 'IDENTITY_FILE'
}

/** The identity file has invalid content. The node leaves the file unchanged. */
export class CorruptIdentityError extends JelError {
  readonly code = 'IDENTITY_CORRUPT'
}

/** Another process holds the identity file, or the same key is in use elsewhere in the pool. */
export class IdentityInUseError extends JelError {
  readonly code = 'IDENTITY_IN_USE'
}

/** This overlay has left its pool, or its host has stopped. */
export class OverlayClosedError extends JelError {
  readonly code = 'OVERLAY_CLOSED'
}

/** No member of the view has this id. */
export class UnknownMemberError extends JelError {
  readonly code = 'UNKNOWN_MEMBER'
}

/** This node is a candidate in as many elections as it may. Withdraw from one. */
export class ElectionsFullError extends JelError {
  readonly code = 'ELECTIONS_FULL'
}

/** The pool holds the maximum number of records, and this owner has more than its share. */
export class RecordsFullError extends JelError {
  readonly code = 'RECORDS_FULL'
}

/**
 * A protocol id of the application is malformed, is the overlay's own, or has a handler already.
 */
export class InvalidProtocolError extends JelError {
  readonly code = 'INVALID_PROTOCOL'
}

/** The allow list can't change: this node has none. */
export class NoAllowListError extends JelError {
  readonly code = 'NO_ALLOW_LIST'
}

/** An id in the list of allowed peers is not a valid node id. */
export class InvalidPeerIdError extends JelError {
  readonly code = 'INVALID_PEER_ID'
}

/** This node could not reach a member for an application stream. */
export class OpenError extends JelError {
  readonly code = 'OPEN_FAILED'
}

/** Some of the receivers of a signal did not acknowledge it in time. */
export class SignalError extends JelError {
  readonly code = 'SIGNAL_FAILED'
  /** Ids of the members that acknowledged. */
  readonly delivered: readonly string[]
  /** Ids of the members that did not acknowledge. The signal may have reached them all the same. */
  readonly failed: readonly string[]

  constructor(name: string, delivered: readonly string[], failed: readonly string[]) {
    super(
      `signal ${JSON.stringify(name)} was not acknowledged by ${failed.length} of ${delivered.length + failed.length}: ${failed.join(', ')}`,
    )
    this.delivered = delivered
    this.failed = failed
  }
}

/** This node does not admit a peer. This error stays inside the overlay. A warning reports it. */
export class RefusedPeerError extends Error {
  override readonly name = 'RefusedPeerError'
}

/** Returns a text for people about any thrown value. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ')
  if (error instanceof Error) return error.message === '' ? error.name : error.message
  return String(error)
}

/** Returns a thrown value as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(reasonOf(thrown))
}

/** Returns the system's code of an error (`ECONNREFUSED`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
