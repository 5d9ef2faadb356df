import { expect, it } from 'vitest'
import { Electorate } from './elections.ts'
import { seeds } from './seeds.ts'

it.each(seeds('1-5'))('after a partition the candidates of both sides settle once, above both epochs, seed %i', (seed) => {
  const pool = new Electorate({ seed }, 12)
  pool.gather()
  for (const node of pool.nodes.slice(0, 8)) pool.elect(node)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 5_000, 'a reign')
  const sides = [pool.nodes.filter((_, i) => i % 2 === 0), pool.nodes.filter((_, i) => i % 2 === 1)] as const
  pool.simulation.partition(...sides)
  pool.simulation.runUntil(() => sides.every((side) => side.every((node) => node.protocol.members().length === 6)), 60_000, 'two pools')
  pool.simulation.run(10_000)
  const epochs = sides.map((side) => Number.parseInt(pool.agreed(side) ?? ''))
  const before = new Map(pool.nodes.map((node) => [node, pool.toldTo(node).length]))
  pool.simulation.heal()
  pool.simulation.runUntil(() => pool.nodes.every((node) => node.protocol.members().length === 12), 60_000, 'one pool')
  pool.simulation.run(20_000)
  expect(Number.parseInt(pool.agreed() ?? '')).toBe(Math.max(...epochs) + 1)
  expect(pool.repeated).toEqual([])
  const told = pool.nodes.map((node) => pool.toldTo(node).slice(before.get(node)).length)
  expect(Math.max(...told)).toBeLessThanOrEqual(2)
})
