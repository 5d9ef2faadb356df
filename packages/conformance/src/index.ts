/**
 * One acceptance suite for the promises of a jel pool. It can test another transport, or another
 * implementation: write a {@link Swarm}, and call {@link acceptance} with it in a test.
 *
 * @packageDocumentation
 */
export { acceptance, type AcceptanceOptions, type TestRunner } from './acceptance.ts'
export { AcceptanceError } from './failure.ts'
export { halfOf } from './half.ts'
export { realTime } from './real-time.ts'
export type {
  Swarm,
  SwarmEvent,
  SwarmFeature,
  SwarmJob,
  SwarmMember,
  SwarmNode,
  SwarmRecord,
  SwarmReign,
  SwarmSpawnOptions,
} from './swarm.ts'
