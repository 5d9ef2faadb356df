/**
 * Access to the wire format for attackers and fuzzers, including those of the simulator, and to the
 * states of suspicions for tests. May change in any version.
 *
 * @module
 */
export { certificateToWire, certify, readCertificate } from './facts/certificate.ts'
export { encodeAccusation, statementToWire, StatementCodec } from './facts/statement-codec.ts'
export { kinds, type Content, type Statement } from './facts/statement.ts'
export { hashSpace } from './base/hash.ts'
export { FairOrder } from './records/fair-order.ts'
export { factOf } from './facts/fact.ts'
export { Suspicion } from './detection/suspicion/suspicion.ts'
export { transitions } from './detection/suspicion/transitions.ts'
export { observersOf } from './topology/rings.ts'
export * as wire from './wire/messages.js'
