/**
 * Runs the jel protocol, unchanged, on a virtual clock and network: one seed, one history.
 *
 * @packageDocumentation
 */
export { constantDelay, loopback, uniformDelay, type Delay } from './network/delay.ts'
export { defaultGossip, type GossipOptions } from './network/gossip.ts'
export { cheapScheme, ed25519Scheme, forge, type Identity, type Scheme } from './protocol/identity.ts'
export { defaultNetwork, type NetworkOptions } from './network/network.ts'
export { type News, type SimulatedNode } from './protocol/node.ts'
export { BrokenPromiseError } from './protocol/promises.ts'
export type { Protocol, ProtocolParts } from './protocol/protocol.ts'
export { Simulation, SimulationTimeoutError, type SimulationOptions, type SpawnOptions } from './simulation.ts'
export type { Traffic } from './network/traffic.ts'
export { barPlot, linePlot, type BarPlot, type LinePlot, type PlotAxis, type PlotSeries } from './report/plot.ts'
export {
  loadScenario,
  parseDuration,
  parseScenario,
  parseSeeds,
  parseTrace,
  Placement,
  protocolNames,
  scenarioJsonSchema,
  ScenarioError,
  siteNames,
  siteSets,
  Unfit,
  writeDuration,
  type Action,
  type ActionType,
  type Arrivals,
  type DurationRange,
  type Expectation,
  type ExpectationType,
  type IntegerRange,
  type Mark,
  type NodeBandwidth,
  type ParseOptions,
  type Place,
  type Problem,
  type ProtocolName,
  type Scenario,
  type ScenarioNetwork,
  type Sessions,
  type SiteFields,
  type Sites,
  type SiteSet,
  type Targets,
  type TraceEvent,
} from './scenario/index.ts'
