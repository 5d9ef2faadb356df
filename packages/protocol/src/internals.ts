/**
 * Access to the wire format for attackers and fuzzers, including those of the simulator. May change
 * in any version.
 *
 * @module
 */
export { certificateToWire, certify, readCertificate } from './facts/certificate.ts'
export { encodeAccusation, statementToWire, StatementCodec } from './facts/statement-codec.ts'
export { kinds, type Content, type Statement } from './facts/statement.ts'
export { hashSpace } from './base/hash.ts'
export { FairOrder } from './records/fair-order.ts'
export { factOf } from './facts/fact.ts'
export { observersOf } from './topology/rings.ts'
export * as wire from './wire/messages.js'
