/**
 * Runs the jel protocol, unchanged, on a virtual clock and network: one seed, one history.
 *
 * @packageDocumentation
 */
export { constantDelay, loopback, uniformDelay, type Delay } from './delay.ts'
export { defaultGossip, type GossipOptions } from './gossip.ts'
export { cheapScheme, ed25519Scheme, forge, type Identity, type Scheme } from './identity.ts'
export { defaultNetwork, type NetworkOptions } from './network.ts'
export { type News, type SimulatedNode } from './node.ts'
export { BrokenPromiseError } from './promises.ts'
export type { Protocol, ProtocolParts } from './protocol.ts'
export { Simulation, SimulationTimeoutError, type SimulationOptions, type SpawnOptions } from './simulation.ts'
export type { Traffic } from './traffic.ts'
