import { expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { simulatePool } from './simulated-swarm.ts'

it.each(seeds('1-5'))('new addresses of a member are sent to its links and published once, and its life goes on, seed %i', (seed) => {
  const simulation = simulatePool({ seed })
  const founder = simulation.spawn()
  const nodes = [founder, ...Array.from({ length: 19 }, (_, i) => simulation.spawn({ introducers: [founder], after: 500 * i }))]
  simulation.run(60_000)
  const heard = (): number => nodes.reduce((sum, { traffic }) => sum + traffic.broadcastsReceived - traffic.broadcastDuplicates, 0)
  const before = heard()
  const [, mover] = nodes as [typeof founder, typeof founder]
  const known = (): unknown[] =>
    nodes.map(({ protocol }) => protocol.member(mover.id)).map((each) => [each?.incarnation, each?.addresses.length])
  const addresses = [...mover.addresses, ...founder.addresses]
  mover.inject({ type: 'addresses', addresses })
  simulation.run(2_000)
  expect(known()).toEqual(nodes.map(() => [1, addresses.length]))
  expect(heard() - before).toBe(nodes.length - 1)
})
