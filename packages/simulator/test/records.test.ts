import { makeConfig, ProtocolNode } from '@jel/protocol'
import { expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

const hour = 3_600_000
const text = (node: PoolNode): string =>
  node.protocol
    .records()
    .map(({ name, owner, version }) => `${name} ${owner} ${version}`)
    .join()

it('expired records are removed from memory, and not only hidden', () => {
  const simulation = simulatePool({ seed: 1 })
  const first = simulation.spawn()
  simulation.run(100)
  const nodes = [first, ...Array.from({ length: 4 }, () => simulation.spawn({ introducers: [first] }))]
  simulation.run(10_000)
  const held = (): number[] => nodes.map(({ protocol }) => (protocol as unknown as ProtocolNode).fingerprint.count)
  const before = held()
  for (let n = 0; n < 10; n++) first.command({ type: 'publish', name: `record ${n}`, value: new Uint8Array(10), lifetime: 60_000 })
  simulation.run(30_000)
  expect(held()).toEqual(before.map((count) => count + 10))
  simulation.run(100_000)
  expect(held()).toEqual(before)
})

it.each(seeds('1-5'))('members of a pool with too many records keep the same ones, and reconciliation rests, seed %i', (seed) => {
  const config = makeConfig({ limits: { records: 30 } })
  const simulation = simulatePool({ seed, createProtocol: (parts) => new ProtocolNode({ ...parts, config }) })
  const first = simulation.spawn()
  simulation.run(100)
  const nodes = [first, ...Array.from({ length: 9 }, () => simulation.spawn({ introducers: [first] }))]
  simulation.run(20_000)
  // The first node exceeds its share. The halves don't receive each other's records.
  simulation.partition(nodes.slice(0, 5), nodes.slice(5))
  for (const [i, node] of nodes.entries()) {
    for (let n = 0; n < (i === 0 ? 40 : 3); n++)
      node.command({ type: 'publish', name: `record ${n}`, value: new Uint8Array(100), lifetime: hour })
    simulation.run(500)
  }
  simulation.run(5_000)
  simulation.heal()
  simulation.run(60_000)
  expect(new Set(nodes.map(text)).size).toBe(1)
  expect(first.protocol.records()).toHaveLength(30)
  // Each other node keeps its records: three records are less than a share of ten.
  for (const { id } of nodes.slice(1)) expect(first.protocol.records().filter(({ owner }) => owner === id).length).toBeGreaterThanOrEqual(3)
  const before = nodes.map(({ traffic }) => traffic.received.bytes)
  simulation.run(60_000)
  for (const [i, { traffic }] of nodes.entries()) expect((traffic.received.bytes - (before[i] as number)) / 60).toBeLessThan(600)
})
