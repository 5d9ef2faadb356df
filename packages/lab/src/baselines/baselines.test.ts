import { describe, expect, it } from 'vitest'
import { parseScenario, type Protocol, type SimulatedNode, Simulation, uniformDelay } from '@jel/simulator'
import { runPool } from './pool-run.ts'
import { baselines, type BaselineName } from './index.ts'

const names = Object.keys(baselines) as BaselineName[]
const central = names.filter((name) => name !== 'distributed')

class Pool {
  readonly simulation: Simulation<Protocol>
  readonly service: SimulatedNode
  readonly nodes: SimulatedNode[]

  constructor(name: BaselineName, count: number, { seed = 1, over = 2_000, megabits = Infinity } = {}) {
    this.simulation = new Simulation({
      seed,
      createProtocol: baselines[name](),
      // The first event of a node is not always its own join: only `jel` promises that.
      checkPromises: false,
      leaveFlush: 5_000,
      network: { delay: uniformDelay(0.1, 0.3) },
    })
    const bandwidth = { up: megabits, down: megabits }
    this.service = this.simulation.spawn({ bandwidth })
    const spawn = (_: unknown, i: number) => this.simulation.spawn({ introducers: [this.service], after: (i * over) / count, bandwidth })
    this.nodes = Array.from({ length: count }, spawn)
  }

  /** True if each of these nodes sees exactly these nodes. */
  readonly agree = (on = this.nodes): boolean => {
    const expected = ids(on)
    return on.every(({ protocol }) => ids(protocol.members()) === expected)
  }
}

function ids(members: readonly { readonly id: string }[]): string {
  return members
    .map(({ id }) => id)
    .toSorted()
    .join()
}

describe.each(names)('%s', (name) => {
  it('shows all members to all, reports each join once, and does not count the service as a member', () => {
    const { simulation, nodes, service, agree } = new Pool(name, 40)
    simulation.runUntil(() => agree(), 60_000, 'all know all')
    for (const { news } of nodes) expect(news.filter(({ notification: { type } }) => type === 'joined')).toHaveLength(40)
    expect(service.protocol.self).toBeUndefined()
    expect(ids(nodes[7]?.protocol.members() ?? [])).not.toContain(service.id)
  })

  it('reports leaves as leaves', () => {
    const { simulation, nodes, agree } = new Pool(name, 40)
    simulation.runUntil(() => agree(), 60_000)
    const [first, second, ...rest] = nodes
    for (const node of [first, second]) if (node !== undefined) simulation.leave(node)
    simulation.runUntil(() => agree(rest), 30_000, 'the leaves are known')
    for (const { news } of rest) {
      const ends = news.filter(({ notification: { type } }) => type !== 'joined')
      expect(ends.map(({ notification: { type } }) => type)).toEqual(['left', 'left'])
    }
  })

  it('finds a crash only by the time-out of 120 s', () => {
    const { simulation, nodes, agree } = new Pool(name, 20)
    simulation.runUntil(() => agree(), 60_000)
    simulation.run(60_000)
    const [victim, ...rest] = nodes
    if (victim !== undefined) simulation.kill(victim)
    const took = simulation.runUntil(() => agree(rest), 200_000, 'the crash is known')
    // The server had a heartbeat of the victim at most 96 s before the crash. Gossip had one just
    // before the crash.
    expect(took).toBeGreaterThan(name === 'distributed' ? 110_000 : 24_000)
    expect(rest[0]?.news.at(-1)?.notification.type).toBe('died')
  })

  it('has one history for one seed', () => {
    const hash = (seed: number): string => {
      const { simulation } = new Pool(name, 20, { seed })
      simulation.run(10_000)
      return simulation.traceHash
    }
    expect(hash(1)).toBe(hash(1))
    expect(hash(1)).not.toBe(hash(2))
  })
})

describe('the techniques in comparison', () => {
  function joinTest(name: BaselineName, megabits = Infinity): { took: number; server: number; node: number } {
    const pool = new Pool(name, 80, { over: 800, megabits })
    const took = pool.simulation.runUntil(() => pool.agree(), 120_000)
    const bytes = (nodes: readonly SimulatedNode[]): number =>
      nodes.reduce((sum, { traffic }) => sum + traffic.bytesSent + traffic.bytesReceived, 0) / nodes.length
    return { took, server: bytes([pool.service]), node: bytes(pool.nodes) }
  }
  const results = Object.fromEntries(names.map((name) => [name, joinTest(name)])) as Record<BaselineName, ReturnType<typeof joinTest>>

  it('adaptive gossip is faster than plain gossip, the tree is faster than both, and the distributed implementation is slowest', () => {
    expect(results['adaptive-gossip'].took).toBeLessThan(results.gossip.took)
    expect(results['broadcast-tree'].took).toBeLessThan(results['adaptive-gossip'].took)
    for (const name of central) expect(results[name].took).toBeLessThan(results.distributed.took)
  })

  it('on a narrow network serial send is the slowest central technique, and peer bootstrap and the tree are faster than gossip', () => {
    const took = Object.fromEntries(central.map((name) => [name, joinTest(name, 2).took])) as Record<BaselineName, number>
    for (const name of central) if (name !== 'serial-send') expect(took[name]).toBeLessThan(took['serial-send'])
    for (const fast of ['peer-bootstrap', 'broadcast-tree'] as const)
      for (const slow of ['gossip', 'adaptive-gossip'] as const) expect(took[fast]).toBeLessThan(took[slow])
  })

  it('serial send loads the server most, peer bootstrap less, and the tree and gossip least', () => {
    expect(results['peer-bootstrap'].server).toBeLessThan(0.8 * results['serial-send'].server)
    for (const name of ['broadcast-tree', 'gossip', 'adaptive-gossip'] as const)
      expect(results[name].server).toBeLessThan(0.6 * results['peer-bootstrap'].server)
    expect(results.gossip.server).toBeLessThan(results['adaptive-gossip'].server)
  })

  it('nodes send and receive more with the tree than with other central techniques, and most in the distributed implementation', () => {
    for (const name of central) {
      if (name !== 'broadcast-tree') expect(results[name].node).toBeLessThan(results['broadcast-tree'].node)
    }
    expect(results.distributed.node).toBeGreaterThan(results['broadcast-tree'].node)
  })
})

it.each(names)('%s also runs in a scenario', (name) => {
  const scenario = parseScenario('nodes: 12\nduration: 30s\nexpect: [{ allKnowAll: { within: 25s } }]')
  const { runner, members } = runPool(scenario, { contender: name, create: baselines[name](), seed: 1 })
  expect(runner.verdicts()[0]).toMatchObject({ held: true })
  expect(members).toHaveLength(12)
})
