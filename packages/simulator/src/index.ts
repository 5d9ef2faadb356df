/**
 * Runs the jel protocol, unchanged, on a virtual clock and network: one seed, one history.
 *
 * @packageDocumentation
 */
export type { Bandwidth } from './network/bandwidth.ts'
export { constantDelay, loopback, uniformDelay, type Delay } from './network/delay.ts'
export type { AddressChange } from './network/address.ts'
export { Contact } from './network/contact.ts'
export type { Dialable } from './network/endpoint.ts'
export { Reachability, type CutKind, type PathEnd } from './network/reachability.ts'
export { defaultGossip, type GossipOptions } from './network/gossip-options.ts'
export type { Machine } from './network/machine.ts'
export { measuredCosts, noCosts, type Costs } from './network/processing.ts'
export { topologyDelay, type Site, type Topology } from './network/site.ts'
export { cheapScheme, ed25519Scheme, forge, type Identity, type Scheme } from './protocol/identity.ts'
export { defaultNetwork, type NetworkOptions } from './network/network-options.ts'
export type { SimulatedNode } from './protocol/node.ts'
export type { News } from './protocol/node-world.ts'
export { EndedLives } from './protocol/ended-lives.ts'
export { BrokenPromiseError } from './protocol/promises.ts'
export type { JelNode, Protocol, ProtocolParts } from './protocol/protocol.ts'
export { Unencoded, type Payload } from './network/payload.ts'
export { barPlot, linePlot, type BarPlot, type LinePlot, type PlotAxis, type PlotSeries } from './report/plot.ts'
export { overlayPlot, type OverlayPlot } from './report/overlay-plot.ts'
export type { Overlay } from './report/overlay.ts'
export { ratioPlot, type RatioPlot } from './report/ratio-plot.ts'
export { FolderExistsError, OutputFolder } from './report/folder.ts'
export { runName, writeOutput } from './report/output.ts'
export type { ElectionResult, EndedLivesResult, NodeBytes, Quantiles, RunResult, Samples, Verdict, Violation } from './report/result.ts'
export { segment } from './network/framing.ts'
export { TcpFlow } from './network/tcp-flow.ts'
export { summaryOf, type Failure, type SummaryLine } from './report/summary.ts'
export type { TraceLine } from './runner/trace.ts'
export { networkOf } from './runner/machines.ts'
export type { CreateProtocol } from './runner/protocols.ts'
export { runScenario, type Run, type RunOptions } from './runner/run.ts'
export { ScenarioRunner } from './runner/scenario-runner.ts'
export { shrink, type ShrinkOptions } from './runner/shrink.ts'
export { sweep, SweepError, type SweepOptions } from './runner/sweep.ts'
export type { Outcome, Task } from './runner/task.ts'
export {
  loadScenario,
  parseDuration,
  parseScenario,
  parseSeeds,
  parseTrace,
  Placement,
  scenarioJsonSchema,
  ScenarioError,
  shippedScenarios,
  siteNames,
  topologyNames,
  Unfit,
  writeDuration,
  writeScenario,
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
  type Scenario,
  type ScenarioNetwork,
  type Sessions,
  type SiteBandwidth,
  type SiteFields,
  type Sites,
  type Targets,
  type TraceEvent,
} from './scenario/index.ts'
export { SimulationTimeoutError } from './engine/run-until.ts'
export type { Flapping, Impairment } from './network-faults.ts'
export { Simulation } from './simulation.ts'
export type { MachineOptions, SimulationOptions, SpawnOptions } from './simulation-options.ts'
export type { TestbedEndpoint, TestbedNode } from './testbed-node.ts'
export type { Testbed, TestbedSpawn } from './testbed.ts'
export { das2, das3 } from './network/topologies/das3.ts'
export { wideArea } from './network/topologies/wide-area.ts'
export { world } from './network/topologies/world.ts'
export { purposes, type Counter, type Flow, type Purpose, type Traffic } from './network/traffic.ts'
