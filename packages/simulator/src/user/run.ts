import type { Milliseconds } from '@jel/protocol'
import { makeConfig } from '@jel/protocol'
import { Metrics } from '../report/metrics.ts'
import { nodeBytes } from '../report/node-bytes.ts'
import { overlayDot } from '../report/dot.ts'
import type { Distribution } from '../report/quantile.ts'
import type { Quantiles, RunResult, Violation } from '../report/result.ts'
import { BrokenPromiseError } from '../protocol/promises.ts'
import { Simulation } from '../simulation.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { unrest, type CalmBounds } from './calm.ts'
import { Chronicle, writeLine, type TraceLine } from './chronicle.ts'
import { Direction } from './direction.ts'
import { networkOf } from './machinery.ts'
import { Population } from './population.ts'
import { protocolOf, type CreateProtocol } from './protocols.ts'
import { Reigns } from './reigns.ts'
import { Stage } from './stage.ts'
import { judge } from './verdict.ts'

export interface RunOptions {
  readonly scenario: Scenario
  readonly seed: number
  /** What to run instead of the scenario's protocol, for whoever tries another one. */
  readonly createProtocol?: CreateProtocol
  /** Gets each line of the trace as it happens. */
  readonly onLine?: (line: TraceLine) => void
  /** Is told each virtual second how far it is. */
  readonly onProgress?: (now: Milliseconds) => void
}

export interface Run {
  readonly result: RunResult
  /** The links at the end, as a graph in DOT. */
  readonly overlay: string
}

/** So many lines of what went before are told with a violation. */
const linesBefore = 20

/** Links that somebody else wants are not closed while they are young: so many more than the protocol keeps up by itself. A guess. */
const extraLinks = 8

/** Runs a scenario once. A broken promise ends the run; it is part of the result, nothing is thrown. */
export function runScenario(options: RunOptions): Run {
  const { scenario, seed } = options
  const isOurs = scenario.protocol === 'jel'
  const simulation = new Simulation({
    seed,
    createProtocol: options.createProtocol ?? protocolOf(scenario),
    network: networkOf(scenario.network),
    checkPromises: isOurs,
    keepNews: false,
  })
  const stage = new Stage(simulation, scenario)
  const chronicle = new Chronicle(stage, options.onLine)
  const metrics = new Metrics(stage, electionsOf(scenario))
  if (isOurs) new Reigns(stage, metrics).watch()
  const violation = play(stage, metrics, chronicle, isOurs ? boundsOf(scenario) : undefined, options.onProgress)
  return { result: resultOf(stage, metrics, violation), overlay: overlayDot(stage.actors) }
}

function play(
  stage: Stage,
  metrics: Metrics,
  chronicle: Chronicle,
  bounds: CalmBounds | undefined,
  onProgress: RunOptions['onProgress'],
): Violation | undefined {
  const { simulation, scenario } = stage
  const violation = (time: Milliseconds, what: string, nodes: readonly number[]): Violation => {
    const [node] = nodes
    return { time, ...(node !== undefined && { node }), what, before: chronicle.last(linesBefore, nodes).map(writeLine) }
  }
  try {
    metrics.start()
    new Direction(stage).start()
    new Population(stage).start()
    while (simulation.now < scenario.duration) {
      simulation.run(Math.min(1_000, scenario.duration - simulation.now))
      onProgress?.(simulation.now)
      const problem = bounds && unrest(stage, metrics, bounds)
      if (problem !== undefined) return violation(simulation.now, problem.what, problem.node === undefined ? [] : [problem.node])
    }
    return undefined
  } catch (error) {
    if (!(error instanceof BrokenPromiseError)) throw error
    const numbers = [error.index, error.subject].map((index) => index !== undefined && stage.actorOf({ index })?.number)
    return violation(
      error.time,
      numbered(error.what, stage),
      numbers.filter((number) => typeof number === 'number'),
    )
  }
}

/** Ids are for machines; people know nodes by their numbers, and lives after the first by theirs. */
function numbered(text: string, stage: Stage): string {
  return text.replaceAll(/(12D3\w+)#(\d+)/gu, (whole, id: string, incarnation: string) => {
    const actor = stage.actors.find(({ node }) => node.id === id)
    return actor === undefined ? whole : `node ${actor.number}${incarnation === '1' ? '' : ` (life ${incarnation})`}`
  })
}

/** Elections that the scenario speaks of. */
function electionsOf(scenario: Scenario): string[] {
  const names = new Set(Object.keys(scenario.elections))
  for (const action of scenario.actions) if (action.type === 'elect') names.add(action.election)
  return [...names]
}

function boundsOf(scenario: Scenario): CalmBounds {
  // Settle: a guess, three times what the shipped scenarios need. Dials: what the lost are redialled with, and the random links renewed.
  return { settle: 60_000, links: makeConfig(scenario.config).links.max + extraLinks, dials: 10, dialsPerNode: 0.1 }
}

function resultOf(stage: Stage, metrics: Metrics, violation: Violation | undefined): RunResult {
  const { simulation, scenario, actors } = stage
  const { columns, deaths } = metrics
  const traffic = actors.map(({ node }) => node.traffic)
  return {
    scenario: scenario.name,
    protocol: scenario.protocol,
    seed: simulation.seed,
    duration: simulation.now,
    nodes: actors.length,
    traceHash: simulation.traceHash,
    events: simulation.events,
    ...(violation && { violation }),
    verdicts: violation === undefined ? scenario.expect.map((expectation) => judge(expectation, stage, metrics)) : [],
    allKnewAll: plain(metrics.allKnowAll.list),
    lastArrival: stage.lastArrival,
    lastChange: stage.lastChange,
    detection: { ...quantilesOf(deaths.times), missed: deaths.missed(simulation.now, 0) },
    falseDeaths: {
      ofHealthy: deaths.falseOfHealthy,
      ofDisturbed: deaths.falseOfDisturbed,
      ...(deaths.firstFalse !== undefined && { first: deaths.firstFalse }),
    },
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
    knocks: { total: total(metrics.knocksBySecond), worstSecond: Math.max(0, ...metrics.knocksBySecond) },
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

/** JSON has no infinity. */
function plain(episodes: readonly (readonly [number, number])[]): [number, number | null][] {
  return episodes.map(([from, to]) => [from, to === Infinity ? null : to])
}

function total(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0)
}

function mean(values: readonly number[]): number {
  return total(values) / Math.max(1, values.length)
}
