/**
 * Runs the jel protocol on a libp2p host.
 */
import './dom-names.ts'

export type { EarlyWarning, OverlayOptions, WebPort } from './api/options.ts'
export type { Closed, Overlay, OverlayKeys, PoolKeyInfo, PublishOptions, QueryOptions, StreamHandler } from './api/port.ts'
export type { OverlayHealth, OverlayNotification, PoolLink, PoolMember, PoolReign } from './api/view.ts'
export type { Traffic } from './host/traffic.ts'
export { isWithin, JelError, siteOf, type Measured, type PoolRecord } from '@jel/protocol'
export {
  CorruptIdentityError,
  IdentityFileError,
  IdentityInUseError,
  InvalidAddressError,
  InvalidPeerIdError,
  InvalidPoolNameError,
  InvalidProtocolError,
  ListenError,
  NoAllowListError,
  OpenError,
  OverlayClosedError,
  PoolKeyError,
  PoolKeyFileError,
  PoolKeysError,
  ElectionsFullError,
  RecordsFullError,
  SignalError,
  UnknownMemberError,
} from './base/errors.ts'
export { generateIdentity, readOwner, readPoolKey } from './identity/files.ts'
export type { RecordOwner } from './identity/identity.ts'
export { callAll, throwLater } from './base/call-all.ts'
export { inBackground, pause, type Timer } from './base/timers.ts'
export { FrameStream } from './links/frame-stream.ts'
export { SendQueue } from './links/send-queue.ts'
export { isSignedInPool, signInPool } from './identity/signatures.ts'
export { startOverlay } from './start.ts'
export { generatePoolKey } from './identity/pool-key.ts'
export { poolKeyId } from './identity/pool-keys.ts'
