import { expect, it } from 'vitest'
import { Electorate } from './elections.ts'
import type { PoolNode } from './simulated-swarm.ts'
import { seeds } from './seeds.ts'

it.each(seeds('1-8'))('the lowest candidate is skipped while it stands still, and unseats nobody when it wakes, seed %i', (seed) => {
  const pool = new Electorate({ seed }, 10)
  pool.gather()
  const [lowest, ...others] = pool.nodes as [PoolNode, ...PoolNode[]]
  const winner = others[3] as PoolNode
  pool.elect(winner)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 5_000, 'agreement')
  for (const node of [lowest, ...others.slice(4, 6)]) pool.elect(node)
  pool.simulation.run(1_000)
  pool.simulation.stopProcess(lowest)
  pool.withdraw(winner)
  const awake = others.filter((node) => node !== winner)
  pool.simulation.run(1_000)
  pool.simulation.runUntil(() => pool.agreed(awake) !== undefined, 9_000, 'agreement without the lowest')
  const reign = pool.agreed(awake)
  const before = awake.map((node) => pool.toldTo(node).length)
  pool.simulation.continueProcess(lowest)
  pool.simulation.run(20_000)
  expect(pool.agreed()).toBe(reign)
  expect(awake.map((node) => pool.toldTo(node).length)).toEqual(before)
  expect(pool.toldTo(lowest).every(({ winner: id }) => id !== lowest.id)).toBe(true)
})
