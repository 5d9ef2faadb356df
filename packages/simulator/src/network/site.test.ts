import { describe, expect, it } from 'vitest'
import { das3, wideArea, world } from '../index.ts'
import { connect, puppets, send, type PuppetNode } from '../../test/puppet.ts'
import { arrival, star } from '../../test/star.ts'

describe('a node behind a firewall', () => {
  it('can be dialled only from its own site, and dials all nodes', () => {
    const sim = puppets({ network: { topology: das3 } })
    const inside = sim.spawn({ site: 'Delft', dialable: 'site' })
    const [near, far] = [sim.spawn({ site: 'Delft' }), sim.spawn({ site: 'VU' })]
    sim.run(1)
    connect(near, inside)
    connect(far, inside)
    sim.run(5_000)
    expect(near.protocol.got('connected')).toMatchObject([{ dialable: true }])
    expect(far.protocol.got('unreachable')).toMatchObject([{ failure: 'silent' }])
    connect(inside, far)
    sim.run(100)
    expect(far.protocol.got('connected')).toMatchObject([{ peer: inside.id, dialable: false }])
  })
})

describe('a topology', () => {
  it('has the delays of its matrix between sites, and hardly any within a machine', () => {
    const sim = puppets({ network: { topology: world } })
    const machine = sim.createMachine({ site: 'VU' })
    const [a, roommate, delft, chiba] = star(sim, { machine }, { machine }, { site: 'Delft' }, { site: 'EC2' })
    for (const [node, least, most] of [
      [roommate, 0.1, 0.5],
      [delft, 0.5, 0.55],
      [chiba, 45, 49.5],
    ] as const) {
      send(a as PuppetNode, node as PuppetNode, 'x')
      const took = arrival(sim, node as PuppetNode)
      expect(took).toBeGreaterThanOrEqual(least)
      expect(took).toBeLessThanOrEqual(most)
    }
  })

  it('lists its sites when an unknown one is named', () => {
    const sim = puppets({ network: { topology: das3 } })
    expect(() => sim.spawn({ site: 'Paris' })).toThrow(/no site "Paris"; there are "VU", "UvA"/)
    expect(() => puppets().spawn({ site: 'Paris' })).toThrow(/no topology/)
    expect(() => sim.createMachine({ bandwidth: { up: 0 } })).toThrow(/Mbit\/s above 0/)
    expect(() => sim.createMachine({ speed: -1 })).toThrow(/above 0/)
    expect(() => sim.createMachine({ speed: 1, processors: 1.5 })).toThrow(/whole number of processors, not 1.5/)
  })

  for (const topology of [das3, world, wideArea()]) {
    it(`${topology.name} has a delay for each pair of sites, the same both ways`, () => {
      const { sites, delays } = topology
      expect(delays).toHaveLength(sites.length)
      for (const [i, row] of delays.entries()) {
        expect(row).toHaveLength(sites.length)
        for (const [j, ms] of row.entries()) {
          expect(ms).toBeGreaterThan(0)
          expect(ms).toBe(delays[j]?.[i])
        }
      }
    })
  }
})
