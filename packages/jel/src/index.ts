/**
 * Join-Elect-Leave: the members of this computation, their roles, and the members that are gone.
 * `joinPool` is the way in.
 *
 * @packageDocumentation
 */
import './node-version.ts'

export { joinPool } from './join.ts'
export { Pool } from './pool/pool.ts'
export { Keyring } from './pool/keyring.ts'
export type { NewsGap, PoolHost, PoolNews } from './base/host.ts'
export type { PoolParts } from './base/parts.ts'
export type { Abortable, PoolEnd } from './base/session.ts'
export type { PoolOptions } from './options.ts'
export type { EventDetail, MeasuredDetail, OrderedDetail, PoolEvents, SignalDetail, Termination, WarningDetail } from './base/events.ts'
export type { PoolKeyInfo, PoolRecord, PublishOptions, RecordOwner, StreamHandler, WebPort } from '@jel/overlay'
/** The stream that `open` returns and handlers take. */
export type { Stream } from '@libp2p/interface'
export { byJoin, idOf, type Change, type Health, type Link, type Member, type MemberRef, type Reign, type Traffic } from './base/member.ts'
export type { QueryHandler } from './queries/answers.ts'
export type { Answer, Query, QueryOptions } from './queries/pending-queries.ts'
export type { QueryFilter } from './queries/filter.ts'
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
  UnsupportedNodeError,
  WorkerError,
} from './errors.ts'
export {
  LedgerBusyError,
  LedgerConflictError,
  LedgerCorruptError,
  LedgerFileError,
  LedgerGapError,
  LedgerMissingError,
  NoMajorityError,
  RecoveryError,
  type LedgerStatus,
} from '@jel/ledger'
export { drained } from './drain.ts'
export { poolStore, type PoolSnapshot, type PoolStore } from './pool-store.ts'
export { textOf } from './text-of.ts'
export { webStreams, type WebStreams } from './web-streams.ts'
export { electionNameProblem } from './base/arguments.ts'
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
  isWithin,
  JelError,
  ListenError,
  NoAllowListError,
  OpenError,
  OverlayClosedError,
  PoolKeyError,
  PoolKeyFileError,
  poolKeyId,
  PoolKeysError,
  readOwner,
  readPoolKey,
  RecordsFullError,
  SignalError,
  siteOf,
  UnknownMemberError,
} from '@jel/overlay'
