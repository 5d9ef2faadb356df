import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { Electorate } from './elections.ts'
import { seeds } from './seeds.ts'
import type { PoolNode } from './simulated-swarm.ts'

it.each(seeds('1-4'))(
  'all members learn of the next winner at once, even those linked to the former one, which stands still, seed %i',
  (seed) => {
    const pool = new Electorate({ seed, network: { delay: uniformDelay(8, 12) } }, 60)
    const { simulation } = pool
    pool.gather()
    simulation.run(60_000)
    const winner = pool.nodes[3] as PoolNode
    const next = pool.nodes[0] as PoolNode
    const others = pool.nodes.filter((node) => node !== winner)
    pool.elect(winner)
    simulation.runUntil(() => pool.agreed() !== undefined, 10_000, 'a reign')
    pool.elect(next)
    simulation.run(20_000)
    // The winner's links stay up. A node with such a link does not believe the death at once. It
    // would wait until others repeat the death.
    simulation.stopProcess(winner)
    simulation.runUntil(() => pool.agreed(others) === `2 ${next.id}#1`, 60_000, 'the next reign')
    const times = others.map((node) => pool.toldTo(node).find((told) => told.winner === next.id)?.at ?? Infinity)
    // Gossip takes a few hops.
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(200)
  },
)
