import { describe, expect, it } from 'vitest'
import { loadScenario, runScenario, shippedScenarios, uniformDelay } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool } from './simulated-swarm.ts'

/**
 * Every fourth node is behind a NAT. It can dial but can’t be dialled. Two such nodes have a link
 * over a relay only.
 */
describe.each(seeds('1-2'))('a pool with a quarter of its members behind a NAT, seed %i', (seed) => {
  it('reports no death while all members are well', () => {
    const simulation = simulatePool({ seed, network: { delay: uniformDelay(10, 60) } })
    const first = simulation.spawn()
    for (let i = 1; i < 20; i++) simulation.spawn({ introducers: [first], dialable: i % 4 !== 0, after: i * 50 })
    const deaths: string[] = []
    simulation.subscribe((node, notification, time) => {
      if (notification.type === 'died') deaths.push(`${time.toFixed(0)} at ${node.index}: ${notification.member.id}`)
    })
    simulation.run(180_000)
    expect(deaths).toEqual([])
    expect(simulation.nodes.map(({ protocol }) => protocol.members().length)).toEqual(simulation.nodes.map(() => 20))
  })

  it('detects the death of a killed member', () => {
    const simulation = simulatePool({ seed })
    const first = simulation.spawn()
    const nodes = [first]
    for (let i = 1; i < 20; i++) nodes.push(simulation.spawn({ introducers: [first], dialable: i % 4 !== 0, after: i * 50 }))
    simulation.run(60_000)
    const victim = nodes[8]
    if (victim === undefined) throw new Error('there is a ninth node')
    simulation.kill(victim)
    const took = simulation.runUntil(
      () => nodes.every((node) => node === victim || node.protocol.member(victim.id) === undefined),
      60_000,
      'the death behind the NAT',
    )
    expect(took).toBeLessThan(15_000)
  })
})

/**
 * The nodes of three of the eight sites can't be dialled from elsewhere. They have only a link to
 * the introducer while other nodes still come.
 */
describe.each(seeds('1'))('a crowd from all over the world, seed %i', (seed) => {
  it('reports no death while all members are well, and comes to rest', { timeout: 60_000 }, () => {
    const scenario = loadScenario(shippedScenarios().get('wide-area-world') ?? '', ['duration=70s', 'actions=[]'])
    const { violation, verdicts } = runScenario({ scenario, seed }).result
    expect(violation).toBeUndefined()
    expect(verdicts.filter(({ held }) => !held)).toEqual([])
  })
})
