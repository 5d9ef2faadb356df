import type { NodeId } from '@jel/protocol'
import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

it.each(seeds('1-3'))('who stands still for some seconds lives, though all others stood still for a minute meanwhile, seed %i', (seed) => {
  const simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) } })
  const died: NodeId[] = []
  simulation.subscribe((_, notification) => {
    if (notification.type === 'died') died.push(notification.member.id)
  })
  const nodes: PoolNode[] = []
  for (let i = 0; i < 12; i++) {
    nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
    if (i === 0) simulation.run(100)
  }
  simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === nodes.length), 60_000, 'a pool')
  simulation.run(30_000)
  const [slow, ...others] = nodes as [PoolNode, ...PoolNode[]]
  simulation.stopProcess(slow)
  // Before and after, they miss it for thirteen seconds in all: a process that says nothing gets fifteen.
  simulation.run(10_000)
  for (const node of others) simulation.stopProcess(node)
  simulation.run(60_000)
  for (const node of others) simulation.continueProcess(node)
  simulation.run(3_000)
  simulation.continueProcess(slow)
  simulation.run(60_000)
  expect(died).toEqual([])
})
