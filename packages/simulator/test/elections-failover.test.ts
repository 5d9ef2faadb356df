import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { Electorate } from './elections.ts'
import type { PoolNode } from './simulated-swarm.ts'
import { seeds } from './seeds.ts'

it.each(seeds('1-5'))('all agree on the next winner within half a second of its death being known, seed %i', (seed) => {
  const pool = new Electorate({ seed, network: { delay: uniformDelay(1, 40) } }, 30)
  pool.gather()
  for (const node of pool.nodes.slice(0, 8)) pool.elect(node)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 5_000, 'a reign')
  pool.simulation.run(30_000)
  const winner = pool.nodes.shift() as PoolNode
  expect(pool.agreed()).toBe(`1 ${winner.id}#1`)
  let known = 0
  pool.simulation.subscribe((_, notification, at) => {
    if (notification.type === 'died' && notification.member.id === winner.id) known = at
  })
  pool.simulation.kill(winner)
  pool.simulation.runUntil(() => pool.nodes.every(({ protocol }) => protocol.member(winner.id) === undefined), 10_000, 'its death')
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 10_000, 'agreement')
  const agreed = Math.max(...pool.nodes.map((node) => pool.toldTo(node).at(-1)?.at ?? Infinity))
  expect(agreed - known).toBeLessThanOrEqual(500)
  expect(pool.agreed()).toBe(`2 ${pool.nodes[0]?.id}#1`)
})
