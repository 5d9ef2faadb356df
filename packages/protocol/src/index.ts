/**
 * The membership and election protocol of jel as pure state machines: inputs and the time go in,
 * effects come out.
 *
 * @module
 */
export type { Codec } from './frames/codec.ts'
export { defaultConfig, makeConfig, type Config, type ConfigOverrides } from './base/config.ts'
export { FrameError, JelError } from './base/errors.ts'
export type { Fact, AgedFact } from './facts/fact.ts'
export { longestDeparture } from './departure.ts'
export { constantsProblem, withConstant } from './facts/constants.ts'
export { eventProblem, queryTimeoutLimit, targetsLimit } from './facts/event.ts'
export { hash52 } from './base/hash.ts'
export { decodeId, encodeId } from './base/id.ts'
export type { BroadcastVerdict, Effect } from './base/effect.ts'
export type { Command, DialFailure, Input, Introducer, HostProbeOutcome, Owner, QueryTerms } from './base/input.ts'
export type { Health, LinkState, Measured, Notification, WarningCode } from './base/notification.ts'
export type { Address, Constants, Encoded, Member, Milliseconds, NodeId, PoolRecord, Reach, Reign } from './base/values.ts'
export type { Batch, Message } from './frames/message.ts'
export { isWithin, siteOf } from './base/location.ts'
export { nameProblem } from './base/name.ts'
export { ProtocolNode, type NodeOptions } from './node.ts'
export { ProtobufCodec } from './frames/protobuf-codec.ts'
export { createRandom, pickIndex, pickOne, pickSome } from './base/random.ts'
export { recordProblem } from './records/records.ts'
export { relayCount, relaysOf } from './topology/relays.ts'
export { Registry } from './facts/registry.ts'
export type { Services } from './context/services.ts'
export { broadcastBytes, frameBytes } from './frames/encoded-size.ts'
