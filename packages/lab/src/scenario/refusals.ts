/**
 * Finds the parts of a scenario that real hosts do not support, in general or on this machine. Each
 * reason is a sentence.
 */
import { freemem } from 'node:os'
import { Placement, siteNames, type Action, type Scenario, type Targets } from '@jel/simulator'
import { distancesOf } from '../network/distances.ts'
import { joinsOf } from './joins.ts'

/** Memory of a node process in a pool of 40, bytes. Measured. */
const PROCESS = 90e6
/** Maximum number of processes of one host. Each has the host's address and a port of its own. */
const PER_HOST = 20
/** Maximum number of hosts. Their addresses are 10.77.0.1 to 10.77.0.250. */
const HOSTS = 250

const ON_THE_NETWORK = new Set(['silence', 'partition', 'cut', 'flap', 'loss', 'restore'])

/** Actions that only the simulator supports, each with the reason. */
export const UNABLE = {
  sleep: 'sleep: the node would need a separate machine that can be suspended; the closest alternative is stop and silence together',
  address: 'address: run it as a trial, with pnpm lab --trial address',
} as const

function isUnable(type: string): type is keyof typeof UNABLE {
  return Object.hasOwn(UNABLE, type)
}

export function refusals(scenario: Scenario): string[] {
  const { network, sessions, config } = scenario
  const reasons: string[] = []
  const refuse = (when: boolean, reason: string): void => {
    if (when) reasons.push(reason)
  }
  const nodes = scenario.nodes + joinsOf(scenario).length
  const { compute, jobs } = scenario
  refuse(
    jobs.some(({ shape: { type } }) => type === 'search' || type === 'space'),
    'jobs: the laboratory has flat, tree and driver; pnpm lab compute-field has programs that search',
  )
  refuse(
    jobs.some(({ by }) => Object.keys(by).some((key) => key !== 'nodes')),
    'jobs: the laboratory accepts only numbers of nodes in by',
  )
  refuse(
    compute.speed !== 1 || compute.stragglers.share > 0 || compute.liars > 0,
    'compute: the laboratory has the processors of this machine, and honest nodes',
  )
  refuse(Object.keys(config).length > 0, 'config: real nodes run with the defaults of the protocol')
  refuse(sessions?.replaced !== undefined, 'sessions: the laboratory has hosts only for nodes that join at known times; remove replaced')
  refuse(network.nodesPerMachine > PER_HOST, `nodesPerMachine: a host of the laboratory has at most ${PER_HOST} nodes`)
  refuse(nodes / network.nodesPerMachine > HOSTS, `nodes: the laboratory has at most ${HOSTS} hosts`)
  refuse(
    nodes * PROCESS > freemem(),
    `nodes: ${nodes} processes of ${PROCESS / 1e6} MB do not fit into the ${Math.round(freemem() / 1e6)} MB that are free here`,
  )
  refuse(network.processor !== undefined, 'network.processor: the laboratory has the processors of this machine')
  refuse(network.nat > 0 && network.nodesPerMachine > 1, 'network.nat: the nodes of one host share its firewall; say nodesPerMachine: 1')
  refuse(
    network.nodesPerMachine > 1 && (network.bandwidth.up ?? network.bandwidth.down) !== undefined,
    'network.bandwidth: the nodes of a host share its link; say machine: instead of up: and down:, or nodesPerMachine: 1',
  )
  refuse(
    network.nodesPerMachine > 1 && network.sites === undefined && distancesOf(scenario) !== undefined,
    'network.delay: nothing keeps the nodes of one host apart; say sites instead of delay, or nodesPerMachine: 1',
  )
  for (const action of scenario.actions) reasons.push(...refusalsOf(action, scenario))
  const counted = scenario.expect.flatMap((each) => (each.type === 'bytesPerSecond' ? [each.nodes] : []))
  refuse(
    !counted.every((targets) => meansWholeHosts(targets, scenario)),
    'bytesPerSecond: counters are those of hosts; say nodes: { machine: 2 }, or nodesPerMachine: 1',
  )
  return [...new Set(reasons)]
}

function refusalsOf(action: Action, scenario: Scenario): string[] {
  if (isUnable(action.type)) return [UNABLE[action.type]]
  if (action.type === 'join' && action.site !== undefined && siteNames(scenario).length === 0) return ['join: there are no sites']
  if (!ON_THE_NETWORK.has(action.type)) return []
  const groups = action.type === 'partition' ? action.sides : action.type === 'cut' ? [action.from, action.to] : []
  const all = 'targets' in action ? [action.targets] : groups
  const reason = `${action.type}: the nodes of one host share its link; say machine: instead of nodes, or nodesPerMachine: 1`
  return all.every((targets) => meansWholeHosts(targets, scenario)) ? [] : [reason]
}

function meansWholeHosts({ nodes, winner, share, count }: Targets, scenario: Scenario): boolean {
  if (scenario.network.nodesPerMachine === 1) return true
  if (winner !== undefined || share !== undefined || count !== undefined) return false
  if (nodes === undefined) return true
  const placement = new Placement(scenario)
  const machines = new Map<number, Set<boolean>>()
  for (let index = 0; index < scenario.nodes; index++) {
    const { machine } = placement.next()
    const isMeant = nodes.some(({ first, last }) => index >= first && index <= last)
    machines.set(machine, (machines.get(machine) ?? new Set()).add(isMeant))
  }
  return [...machines.values()].every(({ size }) => size === 1)
}
