/**
 * What the workspace's own attackers and fuzzers need to speak the wire format by hand. Not part of what is published.
 *
 * @module
 */
export { certificateToWire, certify, readCertificate } from './certificate.ts'
export { encodeSuspicion, kinds, statementToWire, StatementCodec, type Content, type Statement } from './statement.ts'
export { hashSpace } from './hash.ts'
export { factOf } from './fact.ts'
export { observersOf } from './rings.ts'
export * as wire from './wire/messages.js'
