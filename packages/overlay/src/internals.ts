/**
 * Exports for the workspace's own attackers and fuzzers, which open links by hand. They are not
 * published.
 *
 * @module
 */
export { dialAddress, formatAddresses, parseIntroducer, parseListenAddress, tcpEndpoint } from './base/addresses.ts'
export { FramingError, decodeFrames, encodeFrame } from './links/frames.ts'
export { poolNames } from './base/names.ts'
export { checkPoolKey } from './identity/pool-key.ts'
export { createServices } from './identity/signatures.ts'
