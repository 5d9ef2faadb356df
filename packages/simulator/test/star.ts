import { expect } from 'vitest'
import type { SpawnOptions } from '../src/index.ts'
import { connect, type PuppetNode, type puppets } from './puppet.ts'

export type Sim = ReturnType<typeof puppets>

const startedAt = new WeakMap<PuppetNode, number>()

export function spawn(sim: Sim, options: SpawnOptions = {}): PuppetNode {
  const node = sim.spawn(options)
  startedAt.set(node, sim.now)
  return node
}

/** Returns nodes with a link from the first to each of the others. */
export function star(sim: Sim, ...options: readonly SpawnOptions[]): PuppetNode[] {
  const nodes = options.map((each) => spawn(sim, each))
  const [centre, ...others] = nodes
  sim.run(1)
  for (const other of others) connect(centre as PuppetNode, other)
  sim.run(10_000)
  for (const node of nodes) expect(node.protocol.got('connected').length).toBeGreaterThan(0)
  return nodes
}

/** Returns the time from now until the node has received its frame number `frame`. */
export function arrival(sim: Sim, node: PuppetNode, frame = 1): number {
  const before = sim.now
  sim.runUntil(() => node.protocol.got('frame').length >= frame, 3_600_000)
  const { inputs } = node.protocol
  const arrived = inputs.filter(({ input }) => input.type === 'frame')[frame - 1]
  return (arrived?.now ?? 0) - (inputs[0]?.now ?? 0) + (startedAt.get(node) ?? 0) - before
}
