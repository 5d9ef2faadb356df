/** One scenario with one of the contenders. The baselines have a node for server or bootstrap service that is no member; with jel the first member is as good as any. */
import { networkOf, ScenarioRunner, Simulation, type Costs, type Protocol, type Scenario, type SimulatedNode } from '@jel/simulator'
import { SimulatedTestbed } from '@jel/simulator/internals'
import type { Milliseconds, Notification } from '@jel/protocol'
import type { BaselineName, NodeFactory } from './baselines/index.ts'

/** A node of the baselines that is told to leave goes on until the server knows. */
const leaveFlush = 20_000
/** TCP, then SmartSockets' own handshake, in plain text. */
const smartSockets = { setupDelays: 4, setupBytes: { dialler: 100, listener: 100 } }

export interface PoolRun {
  readonly simulation: Simulation<Protocol>
  readonly runner: ScenarioRunner
  readonly members: readonly SimulatedNode[]
  readonly service: SimulatedNode | undefined
}

interface PoolOptions {
  readonly contender: BaselineName | 'jel'
  readonly create: NodeFactory
  readonly seed: number
  readonly costs?: Costs | undefined
  /** A member was told something. */
  readonly onTold?: (notification: Notification, now: Milliseconds) => void
}

export function runPool(scenario: Scenario, { contender, create, seed, costs, onTold }: PoolOptions): PoolRun {
  const hasService = contender !== 'jel'
  const simulation = new Simulation({
    seed,
    createProtocol: create,
    // Millions of them, and nobody would read them.
    keepNews: false,
    // The baselines make other promises than this project.
    checkPromises: !hasService,
    ...(hasService && { leaveFlush }),
    network: { ...networkOf(scenario.network), ...(hasService && smartSockets), ...(costs && { costs }) },
  })
  const runner = new ScenarioRunner(new SimulatedTestbed(simulation, scenario.network, hasService), scenario)
  const [service] = hasService ? simulation.nodes : []
  simulation.subscribe((node, notification, now) => {
    if (node !== service) onTold?.(notification, now)
  })
  runner.start()
  simulation.run(scenario.duration)
  return { simulation, runner, service, members: simulation.nodes.filter((node) => node !== service) }
}
