import { describe, expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool } from './simulated-swarm.ts'

/** Processor time of a real host, ms (docs/simulator.md, fidelity). */
const costs = { frame: 0.7, frameKilobyte: 0.5, broadcast: 1, duplicate: 0.3, control: 0.3, dial: 6, accept: 5, lost: 1.7, refused: 1 }

/** Fifty nodes on one processor of 40 % the usual speed: while they enter, answers take many seconds. */
describe.each(seeds('1-2'))('a pool whose machine has too much to do, seed %i', (seed) => {
  it('holds nobody for dead, and comes to rest', { timeout: 60_000 }, () => {
    const simulation = simulatePool({ seed, network: { delay: uniformDelay(0.1, 0.5), costs } })
    const machine = simulation.createMachine({ speed: 0.4 })
    const first = simulation.spawn({ machine })
    for (let i = 1; i < 50; i++) simulation.spawn({ machine, introducers: [first], after: i * 600 })
    let deaths = 0
    simulation.subscribe((_node, { type }) => {
      if (type === 'died') deaths += 1
    })
    simulation.run(150_000)
    const knocks = (): number => simulation.nodes.reduce((sum, { traffic }) => sum + traffic.knocks, 0)
    const before = knocks()
    simulation.run(30_000)
    expect(simulation.nodes.map(({ protocol }) => protocol.members().length)).toEqual(simulation.nodes.map(() => 50))
    expect({ deaths, knocks: knocks() - before }).toEqual({ deaths: 0, knocks: 0 })
  })
})
