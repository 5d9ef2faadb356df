import type { Milliseconds } from '@jel/protocol'
import { makeConfig, ProtocolNode } from '@jel/protocol'
import { nodeBytes } from '../report/node-bytes.ts'
import { overlayOf, type Overlay } from '../report/overlay.ts'
import type { Deaths } from '../report/deaths.ts'
import type { Distribution } from '../report/quantile.ts'
import type { Detection, Quantiles, RunResult, Violation } from '../report/result.ts'
import { BrokenPromiseError, falseDeathError } from '../protocol/promises.ts'
import type { Protocol, ProtocolParts } from '../protocol/protocol.ts'
import type { Simulation } from '../simulation.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { unrest, type SettledBounds } from './convergence.ts'
import { JobPromises } from '../jobs/job-promises.ts'
import { Jobs } from '../jobs/jobs.ts'
import type { CreateScheduler } from '../jobs/compute-node.ts'
import { Trace, writeLine, type TraceLine } from './trace.ts'
import { Reigns } from './reigns.ts'
import { ScenarioRunner } from './scenario-runner.ts'
import { SimulatedTestbed } from './simulated-testbed.ts'
import { endedLivesOf } from './verdict.ts'

/** Creates the protocol of a node. */
export type CreateProtocol = (parts: ProtocolParts) => Protocol

export interface RunOptions {
  readonly scenario: Scenario
  readonly seed: number
  /** Another protocol, for experiments. */
  readonly createProtocol?: CreateProtocol
  /** Another scheduler of jobs, for the same purpose. */
  readonly createScheduler?: CreateScheduler
  /** Called for each line of the trace as it happens. */
  readonly onLine?: (line: TraceLine) => void
  /** Called each virtual second with the present time. */
  readonly onProgress?: (now: Milliseconds) => void
}

export interface Run {
  readonly result: RunResult
  /** The links at the end. */
  readonly overlay: Overlay
}

/** The number of preceding lines reported with a violation. */
const linesBefore = 20

/**
 * Runs a scenario once. A broken promise ends the run, but the run continues after the false death
 * of a member. The result has the first broken promise. The function throws no broken promise.
 */
export function runScenario(options: RunOptions): Run {
  const { scenario, seed } = options
  let violation: Violation | undefined
  const simulation = new SimulatedTestbed(scenario.network, {
    seed,
    createProtocol: options.createProtocol ?? protocolOf(scenario),
    checkPromises: true,
    keepNews: false,
    onFalseDeath: (death) => void (violation ??= broken(falseDeathError(seed, death))),
  })
  const runner = new ScenarioRunner(simulation, scenario)
  const { truth, metrics } = runner
  const jobs = new Jobs(simulation, truth, options.createScheduler)
  const trace = new Trace(truth, options.onLine)
  const violated = (time: Milliseconds, what: string, nodes: readonly number[]): Violation => {
    const [node] = nodes
    return { time, ...(node !== undefined && { node }), what, before: trace.last(linesBefore, nodes).map(writeLine) }
  }
  const broken = (error: BrokenPromiseError): Violation => {
    const numbers = [error.index, error.subject].map((index) => index !== undefined && truth.actorOf({ index })?.number)
    return violated(
      error.time,
      truth.numbered(error.what),
      numbers.filter((number) => typeof number === 'number'),
    )
  }
  const reigns = new Reigns(truth, metrics)
  reigns.watch()
  const bounds = boundsOf(scenario)
  let isWhole = true
  try {
    if (scenario.jobs.length > 0) {
      jobs.start()
      new JobPromises(jobs, metrics).start()
    }
    runner.start({ submit: (by, job) => jobs.submit(by, job) })
    while (isWhole && simulation.now < scenario.duration) {
      simulation.run(Math.min(1_000, scenario.duration - simulation.now))
      options.onProgress?.(simulation.now)
      reigns.checkTokens()
      const problem = unrest(truth, metrics, bounds)
      if (problem === undefined) continue
      violation ??= violated(simulation.now, problem.what, problem.node === undefined ? [] : [problem.node])
      isWhole = false
    }
  } catch (error) {
    if (!(error instanceof BrokenPromiseError)) throw error
    violation ??= broken(error)
    isWhole = false
  }
  return { result: resultOf(simulation, runner, jobs, violation, isWhole), overlay: overlayOf(truth.actors) }
}

/** Returns the protocol of a scenario. Throws RangeError for impossible settings. */
function protocolOf({ config }: Scenario): CreateProtocol {
  const made = makeConfig(config)
  return (parts) => new ProtocolNode({ ...parts, config: made })
}

function boundsOf(scenario: Scenario): SettledBounds {
  // Settle: measured. Three of sixty nodes that are cut off have pronounced the others dead after
  // 45 s (median of 40 seeds), and after 57 s at worst. Dials: nodes dial lost members again, and
  // renew their random links.
  return { settle: 90_000, links: makeConfig(scenario.config).links.max, dials: 10, dialsPerNode: 0.1 }
}

function resultOf(
  simulation: Simulation<Protocol>,
  runner: ScenarioRunner,
  jobs: Jobs,
  violation: Violation | undefined,
  isWhole: boolean,
): RunResult {
  const { truth, metrics } = runner
  const { scenario, actors } = truth
  const { columns } = metrics
  const computed = scenario.jobs.length === 0 ? undefined : jobs.result()
  const detectionOf = (losses: Deaths): Detection => ({ ...quantilesOf(losses.times), missed: losses.missed(simulation.now, 0) })
  const traffic = simulation.nodes.filter((node) => truth.actorOf(node) !== undefined).map((node) => node.traffic)
  return {
    scenario: scenario.name,
    seed: simulation.seed,
    duration: simulation.now,
    nodes: actors.length,
    traceHash: simulation.traceHash,
    events: simulation.events,
    ...(violation && { violation }),
    verdicts: isWhole ? runner.verdicts([], computed) : [],
    allKnewAll: plain(metrics.allKnowAll.list),
    lastArrival: truth.lastArrival,
    lastChange: truth.lastChange,
    detection: detectionOf(metrics.crashes),
    silenceDetection: detectionOf(metrics.silences),
    endedLives: endedLivesOf(truth),
    elections: Object.fromEntries(
      [...metrics.elections].map(([name, { agreement, episodes }]) => [
        name,
        { reigns: agreement.reigns.size, agreed: plain(episodes.list) },
      ]),
    ),
    received: nodeBytes(traffic, 'received'),
    sent: nodeBytes(traffic, 'sent'),
    links: { mean: mean(columns.links), most: metrics.mostLinks },
    dials: { total: total(metrics.dialsBySecond), worstSecond: Math.max(0, ...metrics.dialsBySecond) },
    hostProbes: { total: total(metrics.hostProbesBySecond), worstSecond: Math.max(0, ...metrics.hostProbesBySecond) },
    ...(computed && { computed }),
    samples: { ...columns, winners: metrics.winners },
  }
}

function quantilesOf(values: Distribution): Quantiles {
  const known = {
    mean: values.mean(),
    p50: values.quantile(0.5),
    p90: values.quantile(0.9),
    p99: values.quantile(0.99),
    max: values.quantile(1),
  }
  return { count: values.count, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) }
}

/** Replaces infinity by null, because JSON has no infinity. */
function plain(episodes: readonly (readonly [number, number])[]): [number, number | null][] {
  return episodes.map(([from, to]) => [from, to === Infinity ? null : to])
}

function total(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0)
}

function mean(values: readonly number[]): number {
  return total(values) / Math.max(1, values.length)
}
