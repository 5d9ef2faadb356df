/**
 * Runs one scenario with one of the contenders. The baselines have a node for server or bootstrap
 * service that is no member; `jel` has none, and its first member is like any other.
 */
import { ScenarioRunner, type Costs, type Protocol, type Scenario, type SimulatedNode, type Simulation } from '@jel/simulator'
import { SimulatedTestbed } from '@jel/simulator/internals'
import type { Milliseconds, Notification } from '@jel/protocol'
import type { BaselineName, NodeFactory } from './baselines/index.ts'

/** How long a leaving node of the baselines goes on at most, ms: until the server has its leave. */
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
  /** Called with each notification of a member. */
  readonly onTold?: (notification: Notification, now: Milliseconds) => void
}

export function runPool(scenario: Scenario, { contender, create, seed, costs, onTold }: PoolOptions): PoolRun {
  const hasService = contender !== 'jel'
  const simulation = new SimulatedTestbed(
    scenario.network,
    {
      seed,
      createProtocol: create,
      // There are millions of them, and nothing reads them.
      keepNews: false,
      // The baselines make other promises than this project.
      checkPromises: !hasService,
      ...(hasService && { leaveFlush }),
      network: { ...(hasService && smartSockets), ...(costs && { costs }) },
    },
    hasService,
  )
  const runner = new ScenarioRunner(simulation, scenario)
  const [service] = hasService ? simulation.nodes : []
  simulation.subscribe((node, notification, now) => {
    if (node !== service) onTold?.(notification, now)
  })
  runner.start()
  simulation.run(scenario.duration)
  return { simulation, runner, service, members: simulation.nodes.filter((node) => node !== service) }
}
