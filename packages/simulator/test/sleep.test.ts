import { makeConfig, ProtocolNode } from '@jel/protocol'
import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

/** Dead members are dialled for ten minutes. The default is a day. */
const config = makeConfig({ healing: { memory: 600_000 } })

function electedPool(seed: number): { simulation: ReturnType<typeof simulatePool>; nodes: PoolNode[] } {
  const createProtocol: Parameters<typeof simulatePool>[0]['createProtocol'] = (parts) => new ProtocolNode({ ...parts, config })
  const simulation = simulatePool({ seed, network: { delay: uniformDelay(60, 120) }, createProtocol })
  const nodes: PoolNode[] = []
  for (let i = 0; i < 8; i++) nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
  simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === nodes.length), 60_000, 'a pool')
  for (const node of nodes) node.command({ type: 'elect', election: 'master' })
  simulation.run(30_000)
  return { simulation, nodes }
}

const cases = [1, 3].flatMap((count) => seeds('37-39').map((seed) => [count, seed] as const))

it.each(cases)('%i members that slept until the others forgot them do not unseat the present winner, seed %i', (count, seed) => {
  const { simulation, nodes } = electedPool(seed)
  const reign = nodes[0]?.protocol.reign('master')
  const sleepers = nodes.filter(({ id }) => id !== reign?.winner.id).slice(0, count)
  const elected: string[] = []
  simulation.subscribe((_, notification) => {
    if (notification.type === 'elected' && notification.reign.winner.id !== reign?.winner.id) elected.push(notification.reign.winner.id)
  })
  for (const node of sleepers) simulation.sleep(node)
  simulation.run(900_000)
  for (const node of sleepers) simulation.sleep(node, false)
  simulation.run(120_000)
  expect(elected).toEqual([])
  expect(nodes.map(({ protocol }) => protocol.reign('master')?.winner)).toEqual(nodes.map(() => reign?.winner))
})

it.each(seeds('1-3'))(
  'a pool whose members all slept keeps records until they expire, and withdrawn ones do not come back, seed %i',
  (seed) => {
    const { simulation, nodes } = electedPool(seed)
    const [owner, ...sleepers] = nodes as [PoolNode, ...PoolNode[]]
    const publish = (name: string, lifetime: number): void => owner.command({ type: 'publish', name, value: Uint8Array.of(1), lifetime })
    publish('kept', 86_400_000)
    publish('withdrawn', 86_400_000)
    publish('over', 800_000)
    simulation.run(30_000)
    const names = (): string[][] => nodes.map(({ protocol }) => protocol.records().map(({ name }) => name))
    expect(names()).toEqual(nodes.map(() => ['kept', 'over', 'withdrawn']))
    for (const node of sleepers) simulation.sleep(node)
    owner.command({ type: 'unpublish', name: 'withdrawn' })
    simulation.run(1_000)
    simulation.sleep(owner)
    simulation.run(900_000)
    for (const node of nodes) simulation.sleep(node, false)
    simulation.run(120_000)
    expect(names()).toEqual(nodes.map(() => ['kept']))
  },
)

it.each(seeds('1-3'))('a record that ended while a member slept does not come back with it, seed %i', (seed) => {
  const { simulation, nodes } = electedPool(seed)
  const [owner, sleeper] = nodes as [PoolNode, PoolNode]
  const publish = (lifetime: number): void => owner.command({ type: 'publish', name: 'job', value: Uint8Array.of(1), lifetime })
  publish(86_400_000)
  simulation.run(30_000)
  const names = (): string[] => nodes.flatMap(({ protocol }) => protocol.records().map(({ name }) => name))
  expect(names()).toEqual(nodes.map(() => 'job'))
  simulation.sleep(sleeper)
  publish(60_000)
  simulation.run(500_000)
  simulation.sleep(sleeper, false)
  simulation.run(120_000)
  expect(names()).toEqual([])
})

it.each(seeds('1-3'))('a pool whose members all slept has a winner again, seed %i', (seed) => {
  const { simulation, nodes } = electedPool(seed)
  for (const node of nodes) simulation.sleep(node)
  simulation.run(900_000)
  for (const node of nodes) simulation.sleep(node, false)
  const winners = (): Set<string | undefined> =>
    new Set(nodes.map(({ protocol }) => `${protocol.reign('master')?.winner.id}#${protocol.reign('master')?.winner.incarnation}`))
  const isAgreed = (): boolean => {
    const [winner] = winners()
    return winners().size === 1 && nodes.some(({ id, protocol }) => `${id}#${protocol.self?.incarnation}` === winner)
  }
  simulation.runUntil(isAgreed, 120_000, 'one winner of a present life')
})
