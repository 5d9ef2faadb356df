import { expect, it } from 'vitest'
import { Electorate } from './elections.ts'
import { seeds } from './seeds.ts'
import type { PoolNode } from './simulated-swarm.ts'

it.each(seeds('1-5'))('a loner with a higher epoch does not unseat the winner of the pool that it joins, seed %i', (seed) => {
  const pool = new Electorate({ seed }, 10)
  pool.gather(1)
  const winner = pool.nodes[3] as PoolNode
  pool.elect(winner)
  pool.simulation.runUntil(() => pool.agreed() === `1 ${winner.id}#1`, 10_000, 'a reign')
  const loner = pool.simulation.spawn({ identity: pool.identity(0) })
  for (let i = 0; i < 3; i++) {
    pool.elect(loner)
    pool.simulation.run(3_000)
    if (i < 2) pool.withdraw(loner)
  }
  expect(pool.reign(loner)).toBe(`3 ${loner.id}#1`)
  const [address] = loner.addresses
  if (address !== undefined) (pool.nodes[0] as PoolNode).inject({ type: 'discovered', introducer: { id: loner.id, address } })
  const all = [loner, ...pool.nodes]
  pool.simulation.runUntil(() => pool.agreed(all) !== undefined, 30_000, 'agreement')
  pool.simulation.run(30_000)
  expect(pool.agreed(all)).toBe(`4 ${winner.id}#1`)
  // No node was notified of another winner meanwhile.
  for (const node of pool.nodes) expect(new Set(pool.toldTo(node).map((told) => told.winner))).toEqual(new Set([winner.id]))
})
