import { expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { simulatePool } from './simulated-swarm.ts'

it.each(seeds('1-5'))('the next life of a member, told to all of its links, is published once, seed %i', (seed) => {
  const simulation = simulatePool({ seed })
  const founder = simulation.spawn()
  const nodes = [founder, ...Array.from({ length: 19 }, (_, i) => simulation.spawn({ introducers: [founder], after: 500 * i }))]
  simulation.run(60_000)
  const heard = (): number => nodes.reduce((sum, { traffic }) => sum + traffic.broadcastsReceived - traffic.broadcastDuplicates, 0)
  const before = heard()
  const [, mover] = nodes as [typeof founder, typeof founder]
  const life = (): number[] => nodes.map(({ protocol }) => protocol.member(mover.id)?.incarnation ?? 0)
  mover.inject({ type: 'addresses', addresses: [...mover.addresses, ...founder.addresses] })
  simulation.run(2_000)
  expect(life()).toEqual(nodes.map(() => 2))
  expect(heard() - before).toBe(nodes.length - 1)
})
