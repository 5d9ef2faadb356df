/**
 * One acceptance suite for the promises of a jel pool: another transport, or another implementation, can be held against it.
 * Whoever does so writes a {@link Swarm}, and calls {@link acceptance} with it in a test.
 *
 * @packageDocumentation
 */
export { acceptance, type AcceptanceOptions, type TestRunner } from './acceptance.ts'
export { AcceptanceError } from './failure.ts'
export { realTime } from './real-time.ts'
export type { Swarm, SwarmEvent, SwarmFeature, SwarmMember, SwarmNode, SwarmRecord, SwarmReign, SwarmSpawnOptions } from './swarm.ts'
