/**
 * Runs the jel protocol on a libp2p host.
 */
export type { Closed, Overlay, OverlayHealth, OverlayNotification, OverlayOptions, PoolMember, PoolReign } from './api.ts'
export {
  CorruptIdentityError,
  IdentityFileError,
  IdentityInUseError,
  InvalidAddressError,
  InvalidPoolNameError,
  InvalidProtocolError,
  ListenError,
  OpenError,
  OverlayClosedError,
  OverlayError,
  PoolKeyError,
  SignalError,
  UnknownMemberError,
} from './base/errors.ts'
export { generateIdentity } from './identity/identity.ts'
export { startOverlay } from './start.ts'
export { generatePoolKey } from './identity/poolkey.ts'
