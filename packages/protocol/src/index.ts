/**
 * The membership and election protocol of jel as pure state machines: inputs and the time go in, effects come out.
 *
 * @module
 */
export type { Codec } from './codec.ts'
export { defaultConfig, makeConfig, type Config, type ConfigOverrides } from './config.ts'
export { FrameError } from './errors.ts'
export type { Fact, Told } from './fact.ts'
export { decodeId, encodeId } from './id.ts'
export type {
  Address,
  BroadcastVerdict,
  Command,
  DialFailure,
  Effect,
  Encoded,
  Health,
  Input,
  Introducer,
  KnockOutcome,
  Member,
  Milliseconds,
  NodeId,
  Notification,
  Reign,
  Services,
  WarningCode,
} from './io.ts'
export type { Batch, Message } from './message.ts'
export { nameProblem } from './name.ts'
export { ProtocolNode, type NodeOptions } from './node.ts'
export { ProtobufCodec } from './protobuf.ts'
export { createRandom, pickIndex, pickOne, pickSome } from './random.ts'
export { Registry } from './registry.ts'
export { broadcastBytes, frameBytes } from './wire/size.ts'
