import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { Electorate } from './elections.ts'
import type { PoolNode } from './simulated-swarm.ts'
import { seeds } from './seeds.ts'

it.each(seeds('1-5'))('a newcomer with the lowest id reconciles before it claims, and unseats nobody, seed %i', (seed) => {
  // The answer to the newcomer's first request takes longer than an election takes to settle.
  const pool = new Electorate({ seed, network: { delay: uniformDelay(250, 300) } }, 6)
  pool.gather(1)
  const winner = pool.nodes[3] as PoolNode
  pool.elect(winner)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 10_000, 'a reign')
  const before = pool.nodes.map((node) => pool.toldTo(node).length)
  const newcomer = pool.simulation.spawn({ identity: pool.identity(0), introducers: [pool.nodes[1] as PoolNode] })
  pool.elect(newcomer)
  pool.simulation.run(30_000)
  expect(pool.nodes.map((node) => pool.toldTo(node).length)).toEqual(before)
  expect(pool.toldTo(newcomer)).toMatchObject([{ epoch: 1, winner: winner.id }])
})

it.each(seeds('1-5'))('a member with late news reconciles before it claims, and unseats nobody, seed %i', (seed) => {
  const pool = new Electorate({ seed, network: { delay: uniformDelay(5, 10) } }, 6)
  pool.gather()
  const [lowest, ...others] = pool.nodes as [PoolNode, ...PoolNode[]]
  const winner = others[2] as PoolNode
  // News of the reign takes longer to reach this member than an election takes to settle.
  pool.simulation.impair(lowest, { lag: 1_500 })
  pool.elect(winner)
  pool.simulation.runUntil(() => pool.agreed(others) !== undefined, 5_000, 'a reign')
  const before = others.map((node) => pool.toldTo(node).length)
  pool.elect(lowest)
  pool.simulation.run(30_000)
  expect(others.map((node) => pool.toldTo(node).length)).toEqual(before)
  expect(pool.toldTo(lowest)).toMatchObject([{ epoch: 1, winner: winner.id }])
})

it('a newcomer with dead introducers claims nothing, and takes part once it finds the pool', () => {
  const pool = new Electorate({ seed: 1 }, 6)
  pool.gather(1)
  const winner = pool.nodes[3] as PoolNode
  pool.elect(winner)
  pool.simulation.runUntil(() => pool.agreed() !== undefined, 10_000, 'a reign')
  const gone = pool.nodes.pop() as PoolNode
  pool.simulation.kill(gone)
  const newcomer = pool.simulation.spawn({ identity: pool.identity(0), introducers: [gone] })
  pool.elect(newcomer)
  pool.simulation.run(120_000)
  expect(newcomer.protocol.members()).toHaveLength(1)
  expect(pool.toldTo(newcomer)).toEqual([])
  const [member] = pool.nodes as [PoolNode]
  const [address] = member.addresses
  if (address !== undefined) newcomer.inject({ type: 'discovered', introducer: { id: member.id, address } })
  pool.simulation.run(20_000)
  expect(pool.toldTo(newcomer)).toMatchObject([{ epoch: 1, winner: winner.id }])
})
