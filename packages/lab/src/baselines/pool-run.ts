/**
 * Runs one scenario with one of the contenders. The baselines have an additional node for the
 * server or the bootstrap service, which is not a member. `jel` has no such node, and its first
 * member is like any other.
 */
import { ScenarioRunner, type Costs, type Protocol, type Scenario, type SimulatedNode, type Simulation } from '@jel/simulator'
import { SimulatedTestbed } from '@jel/simulator/internals'
import type { Milliseconds, Notification } from '@jel/protocol'
import type { BaselineName, NodeFactory } from './index.ts'

/**
 * Longest time that a leaving node of the baselines goes on, ms. In this time the server gets the
 * leave.
 */
const leaveFlush = 20_000
/** Cost of a connection: TCP, then the handshake of SmartSockets in plain text. */
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
      // The simulation does not keep notifications: there are millions, and nothing reads them.
      keepNews: false,
      // The baselines do not make this project's promises.
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
