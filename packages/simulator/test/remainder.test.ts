import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

/** Returns `count` nodes that all have links with each other. */
function linked(nodes: readonly PoolNode[], count: number, chosen: readonly PoolNode[] = []): readonly PoolNode[] {
  if (chosen.length === count) return chosen
  for (const node of nodes) {
    const others = nodes.filter(({ id }) => node.protocol.links.has(id))
    const found = linked(others, count, [...chosen, node])
    if (found.length === count) return found
  }
  return []
}

it.each(seeds('1-1'))('four members that were cut off and pronounced all others dead soon unite with them again, seed %i', (seed) => {
  const simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) } })
  const nodes: PoolNode[] = []
  for (let i = 0; i < 60; i++) {
    nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
    if (i === 0) simulation.run(100)
  }
  const know = (size: number) => (node: PoolNode) => node.protocol.members().length === size
  simulation.runUntil(() => nodes.every(know(60)), 60_000, 'a pool')
  simulation.run(30_000)
  const few = linked(nodes, 4)
  const many = nodes.filter((node) => !few.includes(node))
  simulation.partition(many, few)
  simulation.runUntil(() => few.every(know(4)) && many.every(know(56)), 120_000, 'two pools')
  simulation.heal()
  // The majority does not believe the accusations of so few members. So only the few have a reason
  // to dial the members that they pronounced dead.
  simulation.runUntil(() => nodes.every(know(60)), 60_000, 'one pool')
  expect(new Set(many.map(({ protocol }) => protocol.self?.incarnation))).toContain(2)
})
