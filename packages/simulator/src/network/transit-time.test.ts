import { describe, expect, it } from 'vitest'
import { constantDelay, type Machine } from '../index.ts'
import { connect, puppets, send, texts, type PuppetNode } from '../../test/puppet.ts'
import { arrival, spawn, star, type Sim } from '../../test/star.ts'

const delay = constantDelay(10)
const megabyte = 'x'.repeat(1_000_000)

describe('a line that loses nearly everything', () => {
  it('does not keep a run busy for ever, though its losses combined let nothing through', () => {
    const sim = puppets({ network: { delay, loss: 1 - 1e-9 } })
    const [a, b] = [spawn(sim), spawn(sim)]
    sim.impair(a, { loss: 1 - 1e-9 })
    sim.run(1)
    connect(a, b)
    sim.run(60_000)
    expect(a.protocol.got('unreachable')).toHaveLength(1)
  })
})

describe('a megabyte', () => {
  for (const [where, first, second] of [
    ['an uplink', { bandwidth: { up: 1 } }, {}],
    ['a downlink', {}, { bandwidth: { down: 1 } }],
    ['both, not the sum of them', { bandwidth: { up: 1 } }, { bandwidth: { down: 1 } }],
  ] as const) {
    it(`takes 8 s through 1 Mbit/s at ${where}, and delays later messages`, () => {
      const sim = puppets({ network: { delay } })
      const [a, b] = star(sim, first, second) as [PuppetNode, PuppetNode]
      send(a, b, megabyte)
      send(a, b, 'behind')
      const whole = arrival(sim, b)
      expect(whole).toBeGreaterThan(8_000)
      // Headers are a few per cent.
      expect(whole).toBeLessThan(8_500)
      send(a, b, 'later')
      expect(arrival(sim, b, 3)).toBeLessThan(12)
      expect(texts(b).slice(1)).toEqual(['behind', 'later'])
    })
  }

  it('takes the round trips of slow start without a limit of bandwidth', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    send(a, b, megabyte)
    // 10, 20, 40, 80, 160 and 320 segments, a round trip of 20 ms each, and the rest of 700.
    expect(arrival(sim, b)).toBeCloseTo(6 * 20 + 10)
    // The window is open now.
    send(a, b, megabyte.slice(0, 200_000))
    expect(arrival(sim, b, 2)).toBeCloseTo(10)
  })

  it('delays messages of another node of the machine, but none within the machine', () => {
    const sim = puppets({ network: { delay } })
    const machine = sim.createMachine({ bandwidth: { up: 1, down: 1 } })
    const [a, b] = star(sim, { machine }, {}) as [PuppetNode, PuppetNode]
    const [neighbour, c] = star(sim, { machine }, {}, { machine }) as [PuppetNode, PuppetNode]
    connect(neighbour, a)
    sim.run(10_000)
    send(a, b, megabyte)
    send(neighbour, c, 'behind')
    send(neighbour, a, 'at home')
    expect(arrival(sim, a)).toBeCloseTo(10)
    expect(arrival(sim, c)).toBeGreaterThan(7_900)
  })

  it('through the gateway of a site delays the whole site', () => {
    const topology = {
      name: 'two',
      sites: [{ name: 'A', gateway: { up: 1, down: 1 } }, { name: 'B' }],
      delays: [
        [1, 10],
        [10, 1],
      ],
      jitter: 0,
    }
    const sim = puppets({ network: { topology } })
    const [a, far, near] = star(sim, { site: 'A' }, { site: 'B' }, { site: 'A' }) as [PuppetNode, PuppetNode, PuppetNode]
    const [other, farToo] = star(sim, { site: 'A' }, { site: 'B' }) as [PuppetNode, PuppetNode]
    send(a, far, megabyte)
    send(other, farToo, 'behind')
    send(a, near, 'at home')
    expect(arrival(sim, near)).toBeCloseTo(1)
    expect(arrival(sim, farToo)).toBeGreaterThan(7_900)
  })

  it('in transit from afar does not delay messages from nearby', () => {
    const sim = puppets({ network: { delay } })
    const [a, far, near] = star(sim, { bandwidth: { down: 1 } }, {}, {}) as [PuppetNode, PuppetNode, PuppetNode]
    sim.impair(far, { lag: 5_000 })
    send(far, a, megabyte)
    send(near, a, 'short')
    sim.run(100)
    expect(texts(a)).toEqual(['short'])
  })
})

describe('a machine with a processor', () => {
  const costs = { frame: 20, frameKilobyte: 0, broadcast: 0, duplicate: 0, control: 0, dial: 30, accept: 50, lost: 40, refused: 60 }

  function busy(speed: number, processors = 1): { sim: Sim; machine: Machine } {
    const sim = puppets({ network: { delay, costs } })
    return { sim, machine: sim.createMachine({ speed, processors }) }
  }

  it('processes one input after the other, for whichever of its nodes', () => {
    const { sim, machine } = busy(1)
    const [a, b, c] = star(sim, {}, { machine }, { machine }) as [PuppetNode, PuppetNode, PuppetNode]
    send(a, b, 'one')
    send(a, c, 'two')
    expect(arrival(sim, b)).toBeCloseTo(30)
    expect(texts(c)).toEqual([])
    expect(arrival(sim, c)).toBeCloseTo(50 - 30)
  })

  it('with several processors serves several nodes at once, but no node faster', () => {
    const { sim, machine } = busy(1, 2)
    const [a, b, c] = star(sim, {}, { machine }, { machine }) as [PuppetNode, PuppetNode, PuppetNode]
    send(a, b, 'one')
    send(a, b, 'two')
    send(a, c, 'three')
    expect(arrival(sim, b)).toBeCloseTo(30)
    sim.run(1)
    expect([texts(b), texts(c)]).toEqual([['one'], ['three']])
    sim.run(19)
    expect(texts(b)).toEqual(['one', 'two'])
  })

  it('takes longer for everything if it is slow', () => {
    const { sim, machine } = busy(0.1)
    const [a, b] = star(sim, {}, { machine }) as [PuppetNode, PuppetNode]
    send(a, b, 'one')
    expect(arrival(sim, b)).toBeCloseTo(210)
  })

  it('spends time on opening links', () => {
    const { sim, machine } = busy(1)
    const [a, b] = [spawn(sim), spawn(sim, { machine })]
    sim.run(0)
    connect(a, b)
    sim.run(129)
    expect(a.protocol.got('connected')).toEqual([])
    sim.run(2)
    expect(a.protocol.got('connected')).toHaveLength(1)
  })

  it('spends time on ended links and refused dials', () => {
    const { sim, machine } = busy(1)
    const [a, b] = star(sim, { machine }, {}) as [PuppetNode, PuppetNode]
    sim.kill(b)
    sim.run(49)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.run(2)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    connect(a, b)
    sim.run(79)
    expect(a.protocol.got('unreachable')).toEqual([])
    sim.run(2)
    expect(a.protocol.got('unreachable')).toHaveLength(1)
  })
})
