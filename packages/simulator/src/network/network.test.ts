import { describe, expect, it } from 'vitest'
import { constantDelay, das3, wideArea, world, type Machine, type SpawnOptions } from '../index.ts'
import { act, connect, puppets, send, texts, type PuppetNode } from '../../test/puppet.ts'

const delay = constantDelay(10)
const megabyte = 'x'.repeat(1_000_000)

type Sim = ReturnType<typeof puppets>

const startedAt = new WeakMap<PuppetNode, number>()

function spawn(sim: Sim, options: SpawnOptions = {}): PuppetNode {
  const node = sim.spawn(options)
  startedAt.set(node, sim.now)
  return node
}

/** Returns nodes with a link from the first to each of the others. */
function star(sim: Sim, ...options: readonly SpawnOptions[]): PuppetNode[] {
  const nodes = options.map((each) => spawn(sim, each))
  const [centre, ...others] = nodes
  sim.run(1)
  for (const other of others) connect(centre as PuppetNode, other)
  sim.run(10_000)
  for (const node of nodes) expect(node.protocol.got('connected').length).toBeGreaterThan(0)
  return nodes
}

/** Returns how long from now until the node has received a frame, the first or a later one. */
function arrival(sim: Sim, node: PuppetNode, frame = 1): number {
  const before = sim.now
  sim.runUntil(() => node.protocol.got('frame').length >= frame, 3_600_000)
  const { inputs } = node.protocol
  const arrived = inputs.filter(({ input }) => input.type === 'frame')[frame - 1]
  return (arrived?.now ?? 0) - (inputs[0]?.now ?? 0) + (startedAt.get(node) ?? 0) - before
}

describe('a line that loses next to all', () => {
  it('does not keep a run busy for ever, though all losses together leave nothing', () => {
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
    it(`takes 8 s through 1 Mbit/s, be it ${where}, and what comes after it waits`, () => {
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

  it('takes the round trips of slow start where there is no limit', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    send(a, b, megabyte)
    // 10, 20, 40, 80, 160 and 320 segments, a round trip of 20 ms each, and the rest of 700.
    expect(arrival(sim, b)).toBeCloseTo(6 * 20 + 10)
    // The window is open now.
    send(a, b, megabyte.slice(0, 200_000))
    expect(arrival(sim, b, 2)).toBeCloseTo(10)
  })

  it('delays what another node of the same machine sends, and nothing that stays on the machine', () => {
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

  it('on its way from afar does not hold up what comes from nearby', () => {
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

  it('deals with one thing after the other, whichever of its nodes it is for', () => {
    const { sim, machine } = busy(1)
    const [a, b, c] = star(sim, {}, { machine }, { machine }) as [PuppetNode, PuppetNode, PuppetNode]
    send(a, b, 'one')
    send(a, c, 'two')
    expect(arrival(sim, b)).toBeCloseTo(30)
    expect(texts(c)).toEqual([])
    expect(arrival(sim, c)).toBeCloseTo(50 - 30)
  })

  it('with more than one deals with things of several nodes at once, but no node is faster', () => {
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

  it('that is slow takes longer for everything', () => {
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

  it('spends time on links that end, and on dials that are refused', () => {
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

describe('the path between two nodes', () => {
  it('that is cut one way goes on carrying the other', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    sim.cut(a, b)
    send(a, b, 'there')
    send(b, a, 'back')
    sim.run(5_000)
    expect([texts(a), texts(b)]).toEqual([['back'], []])
  })

  it('that flaps carries what it can while it is up, and everything when it has stopped', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    sim.flap(a, b, { down: 1_000, up: 500, duration: 10_000 })
    const heard: number[] = []
    for (let second = 0; second < 12; second++) {
      sim.run(1_000)
      send(a, b, String(second))
      heard.push(texts(b).length)
    }
    expect(heard[0]).toBe(0)
    expect(heard.at(-3)).toBeGreaterThan(2)
    sim.run(5_000)
    expect(texts(b)).toEqual(Array.from({ length: 12 }, (_, second) => String(second)))
    send(a, b, 'calm')
    expect(arrival(sim, b, 13)).toBeCloseTo(10)
  })

  it('of a bad line loses and lags more than others', () => {
    const sim = puppets({ network: { delay } })
    const [a, bad, good] = star(sim, {}, {}, {}) as [PuppetNode, PuppetNode, PuppetNode]
    sim.impair(bad, { loss: 0.8, lag: 100 })
    send(a, good, 'x')
    send(a, bad, 'x')
    expect(arrival(sim, good)).toBeCloseTo(10)
    sim.run(60_000)
    for (let i = 0; i < 50; i++) send(a, bad, 'x')
    expect(arrival(sim, bad, 51)).toBeGreaterThan(1_000)
    sim.impair(bad, {})
    send(a, bad, 'x')
    expect(arrival(sim, bad, 52)).toBeCloseTo(10)
  })
})

describe('a node behind a firewall', () => {
  it('is dialled by its own site only, and dials everybody', () => {
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
  it('puts sites as far apart as its matrix says, and processes of one machine next to each other', () => {
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

  it('says which sites there are when asked for another', () => {
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

describe('traffic', () => {
  it('is counted by purpose with all that carries it, as much at one end as at the other', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    const probe = Uint8Array.of(0x2a, 2, 8, 7)
    const candidacy = Uint8Array.of(0x22, 6, 0x0a, 4, 0x0a, 2, 0x08, 5)
    const join = Uint8Array.of(0x22, 6, 0x0a, 4, 0x0a, 2, 0x08, 1)
    for (const data of [probe, candidacy, join, Uint8Array.of(0xff)]) {
      act(a, { type: 'send', to: b.id, data })
      sim.run(1_000)
    }
    // 52 bytes of IP and TCP, 18 of Noise, 12 of yamux, 1 of length.
    expect(a.traffic.sent.of('probes')).toEqual({ messages: 1, bytes: 4 + 83 })
    expect(a.traffic.sent.of('elections')).toEqual({ messages: 1, bytes: 8 + 83 })
    expect(a.traffic.sent.of('statements')).toEqual({ messages: 1, bytes: 8 + 83 })
    expect(a.traffic.sent.of('other')).toEqual({ messages: 1, bytes: 1 + 83 })
    expect(a.traffic.sent.of('set-up').bytes).toBe(558 + 3 * 52 + 60)
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      expect(from.traffic.sent.bytes).toBe(to.traffic.received.bytes)
      expect(from.traffic.sent.messages).toBe(to.traffic.received.messages)
    }
  })

  it('that leaves in one tick shares headers', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    const probe = { type: 'send', to: b.id, data: Uint8Array.of(0x2a, 2, 8, 7) } as const
    act(a, probe, probe)
    expect(a.traffic.sent.of('probes').bytes).toBe(4 + 83 + 4 + 1)
  })

  it('that nothing answers in time is acknowledged by a packet of its own', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    const count = (): number => b.traffic.sent.of('acknowledgements').messages
    const before = count()
    send(a, b, 'one')
    sim.run(20)
    send(b, a, 'answered at once')
    sim.run(1_000)
    expect(count() - before).toBeLessThanOrEqual(1)
    const answered = count()
    send(a, b, 'two')
    sim.run(1_000)
    send(b, a, 'answered late')
    expect(count() - answered).toBe(1)
  })
})
