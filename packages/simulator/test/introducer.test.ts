import { describe, expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { simulatePool } from './simulated-swarm.ts'

describe.each(seeds('1-3'))('an introducer that left, seed %i', (seed) => {
  it('is found by the members that it introduced when it returns and knows nobody', () => {
    const simulation = simulatePool({ seed })
    const identity = simulation.createIdentity()
    const founder = simulation.spawn({ identity })
    const others = Array.from({ length: 5 }, () => simulation.spawn({ introducers: [founder], after: 100 }))
    simulation.run(60_000)
    simulation.leave(founder)
    simulation.run(60_000)
    expect(others.map(({ protocol }) => protocol.members().length)).toEqual([5, 5, 5, 5, 5])
    const again = simulation.spawn({ identity, storedIncarnation: founder.storedIncarnation, machineOf: founder })
    simulation.runUntil(() => [again, ...others].every(({ protocol }) => protocol.members().length === 6), 120_000, 'one pool again')
  })
})
