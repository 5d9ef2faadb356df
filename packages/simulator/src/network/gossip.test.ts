import { describe, expect, it } from 'vitest'
import { constantDelay } from '../index.ts'
import { act, connect, puppets, type PuppetNode } from '../../test/puppet.ts'

function ring(nodes: readonly PuppetNode[], steps: readonly number[]): void {
  for (const [i, node] of nodes.entries()) {
    for (const step of steps) connect(node, nodes[(i + step) % nodes.length] as PuppetNode)
  }
}

const publish = (node: PuppetNode, data = Uint8Array.of(1, 2, 3)): void => act(node, { type: 'broadcast', data })
const heard = (node: PuppetNode): number => node.protocol.got('broadcast').length

describe('a broadcast', () => {
  it('reaches each node once, and its publisher not at all', () => {
    const sim = puppets({ network: { delay: constantDelay(5) } })
    const nodes = Array.from({ length: 60 }, () => sim.spawn())
    sim.run(1)
    ring(nodes, [1, 7, 19])
    sim.run(1_000)
    publish(nodes[0] as PuppetNode)
    sim.run(1_000)
    expect(nodes.map(heard)).toEqual([0, ...Array.from({ length: 59 }, () => 1)])
    const duplicates = nodes.reduce((sum, node) => sum + node.traffic.broadcastDuplicates, 0)
    const received = nodes.reduce((sum, node) => sum + node.traffic.broadcastsReceived, 0)
    expect(received - duplicates).toBe(59)
    expect(duplicates).toBeGreaterThan(59)
    publish(nodes[1] as PuppetNode)
    sim.run(1_000)
    expect(heard(nodes[30] as PuppetNode)).toBe(1)
    sim.run(130_000)
    publish(nodes[1] as PuppetNode)
    sim.run(1_000)
    expect(heard(nodes[30] as PuppetNode)).toBe(2)
  })

  it('does not cross a link that has just come up', () => {
    const sim = puppets({ network: { delay: constantDelay(5) } })
    const [a, b] = [sim.spawn(), sim.spawn()]
    a.protocol.answer = (input) => (input.type === 'connected' ? [{ type: 'broadcast', data: Uint8Array.of(1) }] : [])
    sim.run(1)
    connect(a, b)
    sim.run(70)
    expect(heard(b)).toBe(0)
    publish(a)
    sim.run(10)
    expect(heard(b)).toBe(1)
  })

  for (const verdict of ['ignore', 'reject'] as const) {
    it(`stops at a node whose verdict is ${verdict}`, () => {
      const sim = puppets()
      const [a, b, c] = [sim.spawn(), sim.spawn(), sim.spawn()]
      sim.run(1)
      connect(a, b)
      connect(b, c)
      sim.run(100)
      b.protocol.verdict = verdict
      publish(a)
      sim.run(100)
      expect(heard(b)).toBe(1)
      expect(heard(c)).toBe(0)
    })
  }

  it('can be lost', () => {
    const sim = puppets({ gossip: { loss: 1 } })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    sim.run(100)
    publish(a)
    sim.run(100)
    expect(heard(b)).toBe(0)
    expect(a.traffic.broadcastsSent).toBe(1)
  })

  it('that was lost is advertised at the next heartbeats, and requested', () => {
    const missed = (lazy: number): number[] => {
      const sim = puppets({ network: { delay: constantDelay(5) }, gossip: { loss: 0.6, lazy, lazyShare: 0 } })
      const nodes = Array.from({ length: 30 }, () => sim.spawn())
      sim.run(1)
      ring(nodes, [1, 2, 5, 11])
      sim.run(10_000)
      for (let i = 0; i < 10; i++) publish(nodes[i] as PuppetNode, Uint8Array.of(i))
      const count = (): number => nodes.reduce((sum, node) => sum + 10 - heard(node), 0) - 10
      sim.run(100)
      const atFirst = count()
      sim.run(20_000)
      return [atFirst, count()]
    }
    const [lost, left] = missed(2)
    expect(lost).toBeGreaterThan(10)
    expect(left).toBeLessThan((lost ?? 0) / 10)
    expect(missed(0)[1]).toBe(missed(0)[0])
  })

  it('of many bytes makes its receiver notify its mesh', () => {
    const control = (bytes: number): number => {
      const sim = puppets()
      const [a, b, c] = [sim.spawn(), sim.spawn(), sim.spawn()]
      sim.run(1)
      connect(a, b)
      connect(b, c)
      sim.run(10_000)
      const before = c.traffic.received.of('gossip control').messages
      publish(a, new Uint8Array(bytes))
      sim.run(10)
      return c.traffic.received.of('gossip control').messages - before
    }
    expect([control(511), control(512)]).toEqual([0, 1])
  })

  it('reaches all nodes when neighbours in the mesh are gone', () => {
    const sim = puppets()
    const nodes = Array.from({ length: 30 }, () => sim.spawn())
    sim.run(1)
    ring(nodes, [1, 3, 8])
    sim.run(1_000)
    for (const node of nodes.slice(20)) sim.kill(node)
    sim.run(100)
    publish(nodes[0] as PuppetNode)
    sim.run(1_000)
    expect(nodes.slice(1, 20).map(heard)).toEqual(Array.from({ length: 19 }, () => 1))
  })
})

describe('a mesh', () => {
  it('keeps its number of neighbours, also among nodes with many more links, and is quiet when nothing happens', () => {
    const sim = puppets({ network: { delay: constantDelay(5) } })
    const nodes = Array.from({ length: 40 }, () => sim.spawn())
    sim.run(1)
    ring(nodes, [1, 2, 3, 5, 8, 13])
    sim.run(30_000)
    for (const { endpoint } of nodes) {
      expect(endpoint.mesh.size).toBeGreaterThanOrEqual(3)
      expect(endpoint.mesh.size).toBeLessThanOrEqual(6)
      for (const peer of endpoint.mesh.values()) expect(peer.mesh.has(endpoint.id)).toBe(true)
    }
    const events = sim.events
    sim.run(3_600_000)
    // Idle heartbeats are left out: there would be 72,000.
    expect(sim.events - events).toBeLessThan(200)
  })

  it('replaces lost neighbours at the next heartbeat', () => {
    const sim = puppets({ network: { delay: constantDelay(5) } })
    const nodes = Array.from({ length: 20 }, () => sim.spawn())
    sim.run(1)
    ring(nodes, [1, 2, 3, 4, 6, 8])
    sim.run(10_000)
    for (const node of nodes.filter((_, i) => i % 2 === 1)) sim.kill(node)
    sim.run(4_000)
    for (const { endpoint } of nodes.filter((_, i) => i % 2 === 0)) expect(endpoint.mesh.size).toBeGreaterThanOrEqual(3)
  })

  it('counts the messages that maintain it', () => {
    const sim = puppets()
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    sim.run(10_000)
    const { messages, bytes } = a.traffic.sent.of('gossip control')
    // A subscription and perhaps a graft.
    expect(messages).toBeGreaterThanOrEqual(1)
    expect(messages).toBeLessThanOrEqual(2)
    expect(bytes).toBeGreaterThan(100)
    publish(a)
    sim.run(10_000)
    expect(a.traffic.sent.of('broadcasts')).toMatchObject({ messages: 1 })
    expect(b.traffic.sent.of('broadcasts')).toMatchObject({ messages: 0 })
  })
})
