import { expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

it.each(seeds('1'))('a life that began and ended on the smaller side of a partition leaves no lasting disagreement, seed %i', (seed) => {
  const simulation = simulatePool({ seed })
  const identity = simulation.createIdentity()
  const nodes: PoolNode[] = []
  for (let i = 0; i < 15; i++) nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
  const victim = simulation.spawn({ introducers: nodes.slice(0, 1), identity })
  simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === 16), 60_000, 'a pool')
  simulation.run(5_000)
  const [large, small] = [nodes.slice(0, 12), nodes.slice(12)]
  simulation.partition(large, [...small, victim])
  simulation.run(40_000)
  simulation.kill(victim)
  simulation.run(2_000)
  const again = simulation.spawn({ introducers: small.slice(0, 1), identity, storedIncarnation: victim.storedIncarnation })
  simulation.partition(large, [...small, again])
  simulation.run(30_000)
  expect(small.map(({ protocol }) => protocol.member(victim.id)?.incarnation)).toEqual([2, 2, 2])
  simulation.kill(again)
  simulation.run(40_000)
  simulation.heal()
  simulation.run(120_000)
  expect(new Set(nodes.map(({ protocol }) => JSON.stringify(protocol.fingerprint))).size).toBe(1)
  expect(nodes.map(({ protocol }) => protocol.members().length)).toEqual(nodes.map(() => 15))
})
