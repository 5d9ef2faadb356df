import { describe, expect, it } from 'vitest'
import { constantDelay } from '../src/index.ts'
import { act, connect, puppets, type PuppetNode } from './puppet.ts'

function ring(nodes: readonly PuppetNode[], steps: readonly number[]): void {
  for (const [i, node] of nodes.entries()) {
    for (const step of steps) connect(node, nodes[(i + step) % nodes.length] as PuppetNode)
  }
}

const publish = (node: PuppetNode, data = Uint8Array.of(1, 2, 3)): void => act(node, { type: 'broadcast', data })
const heard = (node: PuppetNode): number => node.protocol.got('broadcast').length

describe('a broadcast', () => {
  it('reaches everyone once, and its publisher not at all', () => {
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
    it(`stops where the verdict is to ${verdict} it`, () => {
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

  it('finds its way when neighbours in the mesh are gone', () => {
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
