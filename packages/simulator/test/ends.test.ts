import { ProtocolNode, makeConfig, type Milliseconds, type NodeId } from '@jel/protocol'
import { expect, it } from 'vitest'
import type { JelNode, Simulation } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

/** A pool whose memory of ended lives is tested. */
class Pool {
  readonly simulation: Simulation<JelNode>
  readonly nodes: PoolNode[] = []
  /** Notifications of joins. */
  readonly joined: { readonly by: NodeId; readonly id: NodeId; readonly at: Milliseconds }[] = []

  constructor(options: Parameters<typeof simulatePool>[0], size: number) {
    this.simulation = simulatePool(options)
    this.simulation.subscribe((node, notification, at) => {
      if (notification.type === 'joined') this.joined.push({ by: node.id, id: notification.member.id, at })
    })
    for (let i = 0; i < size; i++) this.enter()
    this.simulation.runUntil(() => this.nodes.every((node) => node.protocol.members().length === size), 60_000, 'a pool')
    this.simulation.run(5_000)
  }

  enter(): PoolNode {
    const node = this.simulation.spawn({ introducers: this.nodes.slice(0, 1) })
    if (this.nodes.length === 0) this.simulation.run(100)
    this.nodes.push(node)
    return node
  }

  leave(node: PoolNode): void {
    node.command({ type: 'leave' })
    this.simulation.run(500)
    node.kill() // A process on a host ends like this.
    this.nodes.splice(this.nodes.indexOf(node), 1)
  }
}

it.each(seeds('1-3'))(
  'all members agree after a heal on an end that was a death in one half and a leave in the other half, seed %i',
  (seed) => {
    const pool = new Pool({ seed }, 10)
    const { simulation } = pool
    const nodes = [...pool.nodes]
    const halves = [nodes.slice(0, 5), nodes.slice(5)] as const
    const leaver = halves[0][4] as PoolNode
    simulation.partition(...halves)
    simulation.runUntil(() => nodes.every((node) => node.protocol.members().length === 5), 60_000, 'two pools')
    pool.leave(leaver)
    simulation.run(5_000)
    simulation.heal()
    const others = nodes.filter((node) => node !== leaver)
    simulation.runUntil(() => others.every((node) => node.protocol.members().length === 9), 60_000, 'one pool')
    simulation.run(60_000)
    expect(new Set(others.map((node) => JSON.stringify(node.protocol.fingerprint))).size).toBe(1)
    expect(pool.joined.length).toBeGreaterThan(0)
  },
)

it.each(seeds('1-3'))('a member that returns does not revive a member that left meanwhile, seed %i', (seed) => {
  const pool = new Pool({ seed }, 10)
  const { simulation } = pool
  const [away, leaver] = [pool.nodes[8], pool.nodes[9]] as [PoolNode, PoolNode]
  const others = pool.nodes.slice(0, 8)
  simulation.partition([...others, leaver], [away])
  pool.leave(leaver)
  simulation.run(150_000)
  // A node that is alone pronounces nobody dead.
  expect(away.protocol.members().map(({ id }) => id)).toContain(leaver.id)
  const healed = simulation.now
  simulation.heal()
  simulation.runUntil(() => others.every((node) => node.protocol.members().length === 9), 60_000, 'one pool')
  simulation.run(30_000)
  expect(away.protocol.members().map(({ id }) => id)).not.toContain(leaver.id)
  expect(pool.joined.filter(({ id, at }) => id === leaver.id && at > healed)).toEqual([])
})

it('ends are forgotten after their time, and a newcomer receives none', () => {
  const config = makeConfig({ tombstones: { lifetime: 200_000 }, healing: { memory: 100_000 } })
  const pool = new Pool({ seed: 1, createProtocol: (parts) => new ProtocolNode({ ...parts, config }) }, 30)
  for (const node of pool.nodes.slice(5)) {
    pool.leave(node)
    pool.simulation.run(1_000)
  }
  const first = pool.nodes[0] as PoolNode
  expect(first.protocol.members()).toHaveLength(5)
  expect(first.protocol.fingerprint.count).toBe(30) // Ended lives count, too.
  pool.simulation.run(220_000)
  const newcomer = pool.enter()
  pool.simulation.run(10_000)
  for (const node of [first, newcomer]) expect(node.protocol.fingerprint.count).toBe(6)
})
