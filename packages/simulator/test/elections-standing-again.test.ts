import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { Electorate } from './elections.ts'
import type { PoolNode } from './simulated-swarm.ts'
import { seeds } from './seeds.ts'

/**
 * The pauses between a winner's withdrawal and its new candidacy, ms. They end before others learn
 * of the withdrawal, while the election settles, and after it settled.
 */
const pauses = [0, 20, 150, 300, 700]

it.each(seeds('1-10'))('a winner that withdraws and stands again reigns in a new epoch or not at all, seed %i', (seed) => {
  const pool = new Electorate({ seed, network: { delay: uniformDelay(1, 80) } }, 8)
  pool.gather()
  const others = seed % 2 === 0 ? pool.nodes.slice(3, 6) : []
  for (const node of [pool.nodes[2] as PoolNode, ...others]) pool.elect(node)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 5_000, 'agreement')
  for (const pause of pauses) {
    const before = pool.agreed()
    const winner = pool.nodes.find(({ id }) => before?.includes(id)) as PoolNode
    pool.withdraw(winner)
    if (pause > 0) pool.simulation.run(pause)
    pool.elect(winner)
    pool.simulation.runUntil(() => pool.agreed() !== undefined && pool.agreed() !== before, 10_000, 'agreement on another reign')
    const after = pool.agreed()
    pool.simulation.run(10_000)
    expect(pool.agreed()).toBe(after)
    expect(Number.parseInt(after ?? '')).toBeGreaterThan(Number.parseInt(before ?? ''))
  }
  expect(pool.repeated).toEqual([])
})

it.each(seeds('1-5'))('a winner that stands again behind a partition reigns in a new epoch after it, seed %i', (seed) => {
  const pool = new Electorate({ seed }, 8)
  pool.gather()
  const winner = pool.nodes[2] as PoolNode
  for (const node of [winner, ...pool.nodes.slice(5)]) pool.elect(node)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 5_000, 'agreement')
  // The partition is too short for any node to be missed.
  pool.simulation.partition(
    [winner, pool.nodes[0] as PoolNode],
    pool.nodes.filter((node, i) => node !== winner && i > 0),
  )
  pool.withdraw(winner)
  pool.simulation.run(50)
  pool.elect(winner)
  pool.simulation.run(450)
  pool.simulation.heal()
  pool.simulation.run(60_000)
  expect(pool.agreed()).toBeDefined()
  expect(Number.parseInt(pool.agreed() ?? '')).toBeGreaterThan(1)
  expect(pool.repeated).toEqual([])
})
