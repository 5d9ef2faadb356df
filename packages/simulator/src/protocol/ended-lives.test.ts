import type { Member } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { BrokenPromiseError, type Simulation } from '../index.ts'
import { act, puppets, type Puppet, type PuppetNode } from '../../test/puppet.ts'

const member = (node: PuppetNode, incarnation = 1): Member => ({
  id: node.id,
  incarnation,
  addresses: node.addresses,
  location: 'here',
  tag: new Uint8Array(),
  constants: new Map(),
  reach: 'direct',
  joinedAt: 0,
})

interface World {
  readonly sim: Simulation<Puppet>
  readonly a: PuppetNode
  readonly b: PuppetNode
  readonly c: PuppetNode
  /** Notifies one node of the death of another node. Returns false if that was a false death. */
  readonly bury: (told: PuppetNode, dead: PuppetNode) => boolean
}

/** Returns three nodes that have known each other for a minute. */
function world({ machines = 3, ...options }: { readonly dialable?: boolean; readonly machines?: 2 | 3 } = {}): World {
  const sim = puppets({ seed: 1 })
  const first = sim.spawn(options)
  const nodes = [first, sim.spawn({ ...options, ...(machines === 2 && { machineOf: first }) }), sim.spawn()]
  const [a, b, c] = nodes as [PuppetNode, PuppetNode, PuppetNode]
  sim.run(1)
  for (const node of nodes) node.protocol.self = member(node)
  for (const node of nodes) {
    for (const each of [node, ...nodes.filter((other) => other !== node)])
      act(node, { type: 'notify', notification: { type: 'joined', member: member(each) } })
  }
  sim.run(60_000)
  const bury = (told: PuppetNode, dead: PuppetNode): boolean => {
    try {
      act(told, { type: 'notify', notification: { type: 'died', member: member(dead) } })
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(BrokenPromiseError)
      return false
    }
  }
  return { sim, a, b, c, bury }
}

function cut(sim: Simulation<Puppet>, a: PuppetNode, b: PuppetNode): void {
  sim.cut(a, b)
  sim.cut(b, a)
}

describe('the reported death of a running member', () => {
  it('is false if both nodes could talk', () => {
    const { sim, a, b, bury } = world()
    expect(bury(a, b)).toBe(false)
    expect(sim.endedLives).toMatchObject({ total: 1, false: 1, first: { observer: a, subject: b, through: undefined } })
  })

  it('is false if they could not, but both could talk with a third node', () => {
    const { sim, a, b, c, bury } = world()
    cut(sim, a, b)
    sim.run(60_000)
    expect(bury(a, b)).toBe(false)
    expect(sim.endedLives.first).toMatchObject({ through: c })
  })

  it('is false if only one way between them was cut', () => {
    const { sim, a, b, bury } = world()
    sim.cut(b, a)
    sim.run(60_000)
    expect(bury(a, b)).toBe(false)
  })

  it.each<[string, (world: World) => void]>([
    ['a partition', ({ sim, a, b, c }) => sim.partition([a, c], [b])],
    ['a pulled cable', ({ sim, b }) => sim.silence(b)],
    ['a line that loses nearly all', ({ sim, b }) => sim.impair(b, { loss: 0.8 })],
    ['cuts from all', ({ sim, a, b, c }) => [a, c].forEach((node) => cut(sim, node, b))],
    [
      'cuts from some, while the others stand still',
      ({ sim, a, b, c }) => {
        cut(sim, a, b)
        sim.stall(c, 10_000)
      },
    ],
  ])('is explained by %s, and counted', (_, disturb) => {
    const it = world()
    disturb(it)
    it.sim.run(8_000)
    expect(it.bury(it.a, it.b)).toBe(true)
    expect(it.sim.endedLives).toMatchObject({ total: 1, false: 0 })
  })

  it('is explained for 30 s after a disturbance, and no longer', () => {
    const { sim, a, b, c, bury } = world()
    sim.silence(b)
    sim.run(5_000)
    sim.silence(b, false)
    sim.run(25_000)
    expect(bury(a, b)).toBe(true)
    const other = world()
    other.sim.partition([other.a, other.c], [other.b])
    other.sim.run(5_000)
    other.sim.heal()
    other.sim.run(35_000)
    expect(other.bury(other.a, other.b)).toBe(false)
    expect(c.news).toHaveLength(3)
  })

  it('is not explained by a partition of 200 ms', () => {
    const { sim, a, b, c, bury } = world()
    sim.partition([a, c], [b])
    sim.run(200)
    sim.heal()
    sim.run(2_000)
    expect(bury(a, b)).toBe(false)
  })

  it('is not explained by a partition of others', () => {
    const { sim, a, b, c, bury } = world()
    sim.partition([a, b], [c])
    sim.run(8_000)
    expect(bury(a, b)).toBe(false)
  })

  it('may be reported later on the other side of its cause', () => {
    const { sim, a, b, c, bury } = world()
    sim.partition([a], [b, c])
    sim.run(8_000)
    expect(bury(a, b)).toBe(true)
    sim.run(60_000)
    sim.heal()
    sim.run(1_000)
    expect(bury(c, b)).toBe(true)
    expect(sim.endedLives).toMatchObject({ total: 1, false: 0 })
  })

  it('may be passed on by a node that only heard of it', () => {
    const { sim, a, b, c, bury } = world()
    const d = sim.spawn()
    sim.run(1)
    for (const each of [d, a, b, c]) {
      d.protocol.self = member(d)
      act(d, { type: 'notify', notification: { type: 'joined', member: member(each) } })
    }
    sim.run(60_000)
    sim.partition([a, c, d], [b])
    sim.run(8_000)
    sim.heal()
    sim.run(100)
    expect(bury(a, b)).toBe(true)
    expect(bury(c, b)).toBe(true)
    sim.partition([a], [b, c, d])
    sim.run(40_000)
    expect(bury(d, b)).toBe(true)
    expect(sim.endedLives).toMatchObject({ total: 1, false: 0 })
  })

  it.each([true, false])('may be confirmed by the member itself, which enters again when it hears of it: %s', (hears) => {
    const { sim, a, b, c, bury } = world()
    cut(sim, a, b)
    cut(sim, a, c)
    sim.run(60_000)
    expect(bury(a, b)).toBe(true)
    if (hears) {
      sim.mend(a, b)
      sim.mend(b, a)
    }
    expect(bury(c, b)).toBe(hears)
  })

  it('is not explained to others by an observer that stood still itself', () => {
    const { sim, a, b, c, bury } = world()
    sim.stall(a, 8_000)
    sim.run(8_100)
    expect(bury(a, b)).toBe(true)
    expect(bury(c, b)).toBe(false)
  })

  it('may be reported by nodes of one unplugged machine, as by a side of a partition', () => {
    const { sim, a, b, c, bury } = world({ machines: 2 })
    for (const node of [a, b]) sim.silence(node)
    sim.run(8_000)
    expect(bury(a, c)).toBe(true)
    for (const node of [a, b]) sim.silence(node, false)
    sim.run(1_000)
    expect(bury(b, c)).toBe(true)
    expect(sim.endedLives).toMatchObject({ total: 1, false: 0 })
  })

  it('is not explained by a NAT before both', () => {
    const { a, b, c, sim, bury } = world({ dialable: false })
    expect(bury(a, b)).toBe(false)
    expect(sim.endedLives.first).toMatchObject({ through: c })
  })

  it('is explained to a node that began a moment ago if the member stood still all that time', () => {
    const { sim, a, b, bury } = world()
    sim.stopProcess(b)
    sim.run(4_000)
    const young = sim.spawn()
    sim.run(1)
    for (const each of [young, a, b]) {
      young.protocol.self = member(young)
      act(young, { type: 'notify', notification: { type: 'joined', member: member(each) } })
    }
    sim.run(700)
    expect(bury(young, b)).toBe(true)
  })

  it('does not count for a member that is gone, leaves or stands still', () => {
    const { sim, a, b, c, bury } = world()
    sim.kill(b)
    expect(bury(a, b)).toBe(true)
    sim.stopProcess(c)
    sim.run(8_000)
    expect(bury(a, c)).toBe(true)
    expect(sim.endedLives).toMatchObject({ total: 0, false: 0 })
  })
})
