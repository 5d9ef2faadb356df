/**
 * Join-Elect-Leave: the members of this computation, their roles, and the members that are gone.
 * `joinPool` is the way in.
 *
 * @packageDocumentation
 */
import './node-version.ts'

export { joinPool } from './join.ts'
export { Pool } from './pool.ts'
export { Keyring } from './keyring.ts'
export type { NewsGap, PoolHost, PoolNews } from './pool-host.ts'
export type { Abortable, PoolEnd, PoolParts, StreamHandler } from './pool.ts'
export type { PoolOptions } from './options.ts'
export type { EventDetail, MeasuredDetail, PoolEvents, SignalDetail, Termination, WarningDetail } from './events.ts'
export type { PoolKeyInfo, PoolRecord, PublishOptions, RecordOwner } from '@jel/overlay'
/** The stream that `open` returns and handlers take. */
export type { Stream } from '@libp2p/interface'
export type { Change, Health, Link, Member, MemberRef, Reign, Traffic } from './member.ts'
export { byJoin } from './join-order.ts'
export type { Answer, QueryHandler, QueryOptions } from './queries.ts'
export type { QueryFilter } from './query-filter.ts'
export {
  CandidacyWithdrawnError,
  ChangesOverflowError,
  ElectionsOffError,
  EventsOverflowError,
  InvalidConstantError,
  InvalidElectionNameError,
  InvalidEventError,
  InvalidOptionError,
  InvalidRecordError,
  InvalidSignalNameError,
  JoinsOffError,
  Libp2pElsewhereError,
  PoolClosedError,
  PoolLeftError,
  PoolSizeMismatchError,
  PoolTerminatedError,
  TagTooLargeError,
  TooFewMembersError,
  UnsupportedConsistencyError,
  UnsupportedNodeError,
  WorkerError,
} from './errors.ts'
export { drained } from './drained.ts'
export { electionNameProblem } from './names.ts'
export {
  CorruptIdentityError,
  ElectionsFullError,
  generateIdentity,
  generatePoolKey,
  IdentityFileError,
  IdentityInUseError,
  InvalidAddressError,
  InvalidPeerIdError,
  InvalidPoolNameError,
  InvalidProtocolError,
  JelError,
  ListenError,
  OpenError,
  OverlayClosedError,
  PoolKeyError,
  PoolKeyFileError,
  PoolKeysError,
  readOwner,
  readPoolKey,
  RecordsFullError,
  SignalError,
  UnknownMemberError,
} from '@jel/overlay'
