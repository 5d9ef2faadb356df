import { expect, it } from 'vitest'
import { Electorate } from './elections.ts'
import type { PoolNode } from './simulated-swarm.ts'
import { seeds } from './seeds.ts'

it.each(seeds('1-5'))('the claim of the later life wins over one of the same member and epoch, and all agree, seed %i', (seed) => {
  const pool = new Electorate({ seed }, 6)
  pool.gather()
  const former = pool.nodes.at(-1) as PoolNode
  const others = pool.nodes.slice(0, -1)
  pool.elect(former)
  pool.simulation.runUntil(() => pool.agreed() === `1 ${former.id}#1`, 5_000, 'the first reign')
  pool.simulation.kill(former)
  pool.simulation.runUntil(() => others.every(({ protocol }) => protocol.member(former.id) === undefined), 10_000, 'its death')
  // The member comes back to an empty network. It remembers its incarnation but not its epoch, and
  // is elected again.
  const later = pool.simulation.spawn({ identity: pool.identity(5), storedIncarnation: 1 })
  pool.simulation.partition([later], others)
  pool.elect(later)
  pool.simulation.run(2_000)
  expect(pool.reign(later)).toBe(`1 ${former.id}#2`)
  pool.simulation.heal()
  const [address] = later.addresses
  if (address !== undefined) (others[0] as PoolNode).inject({ type: 'discovered', introducer: { id: later.id, address } })
  pool.simulation.runUntil(() => pool.agreed([later, ...others]) !== undefined, 10_000, 'agreement')
  pool.simulation.run(10_000)
  expect(pool.agreed([later, ...others])).toBe(`1 ${former.id}#2`)
})
