/**
 * Lets the workspace's own attackers and fuzzers open links by hand. Not part of what is published.
 *
 * @module
 */
export { dialAddress, formatAddresses, parseIntroducer, parseListenAddress, tcpEndpoint } from './base/addresses.ts'
export { FramingError, decodeFrames, encodeFrame } from './links/frames.ts'
export { poolNames } from './base/names.ts'
export { checkPoolKey } from './identity/pool-key.ts'
export { createServices } from './identity/signatures.ts'
