/**
 * The membership and election protocol of jel as pure state machines: inputs and the time go in, effects come out.
 *
 * @module
 */
export { defaultConfig, makeConfig, type Config, type ConfigOverrides } from './config.ts'
export { FrameError } from './errors.ts'
export { decodeId, encodeId } from './id.ts'
export type {
  Address,
  BroadcastVerdict,
  Command,
  DialFailure,
  Effect,
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
export { nameProblem } from './name.ts'
export { ProtocolNode, type NodeOptions } from './node.ts'
export { createRandom, pickIndex, pickOne, pickSome } from './random.ts'
