/**
 * What the workspace's own attackers and fuzzers need to open links by hand. Not part of what is published.
 *
 * @module
 */
export { dialAddress, formatAddresses, parseIntroducer, parseListenAddress, tcpEndpoint } from './addresses.ts'
export { FrameDecoder, FramingError, encodePrefix } from './framing.ts'
export { poolNames } from './names.ts'
export { checkPoolKey } from './poolkey.ts'
export { createServices } from './signatures.ts'
