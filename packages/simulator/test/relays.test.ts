import { describe, expect, it } from 'vitest'
import { uniformDelay, type Simulation, type SimulatedNode } from '../src/index.ts'
import type { JelNode } from '../src/protocol/protocol.ts'
import { seeds } from './seeds.ts'
import { simulatePool } from './simulated-swarm.ts'

const DIRECT = 4
const HIDDEN = 12

interface Pool {
  readonly simulation: Simulation<JelNode>
  readonly direct: readonly SimulatedNode<JelNode>[]
  readonly hidden: readonly SimulatedNode<JelNode>[]
  readonly all: readonly SimulatedNode<JelNode>[]
  /** The ids of members that any node pronounced dead. */
  readonly dead: Set<string>
}

/** Returns a pool at rest: each hidden member is behind a NAT of its own. */
function pool(seed: number): Pool {
  const simulation = simulatePool({ seed, network: { delay: uniformDelay(10, 60), loss: 0.01 } })
  const first = simulation.spawn()
  const after = (i: number): number => i * 50
  const direct = [first, ...Array.from({ length: DIRECT - 1 }, (_, i) => simulation.spawn({ introducers: [first], after: after(i) }))]
  const hidden = Array.from({ length: HIDDEN }, (_, i) => simulation.spawn({ introducers: [first], dialable: false, after: after(i) }))
  const dead = new Set<string>()
  simulation.subscribe((_, notification) => void (notification.type === 'died' && dead.add(notification.member.id)))
  simulation.run(90_000)
  return { simulation, direct, hidden, all: [...direct, ...hidden], dead }
}

/** Kills nodes, and returns the time until all others know, ms. */
function kill({ simulation, all }: Pool, ...victims: readonly SimulatedNode<JelNode>[]): number {
  for (const victim of victims) simulation.kill(victim)
  const rest = all.filter((node) => node.state !== 'gone')
  const knows = (node: SimulatedNode<JelNode>): boolean => victims.every(({ id }) => node.protocol.member(id) === undefined)
  return simulation.runUntil(() => rest.every(knows), 60_000, 'all know the deaths')
}

const circuits = (nodes: readonly SimulatedNode<JelNode>[]): number => nodes.reduce((sum, { endpoint }) => sum + endpoint.circuits.size, 0)

describe.each(seeds('1-3'))('hidden members, seed %i', (seed) => {
  it('have links with each other over direct members, and rest', () => {
    const made = pool(seed)
    expect(circuits(made.direct)).toBeGreaterThan(HIDDEN / 2)
    expect(circuits(made.hidden)).toBe(0)
    made.simulation.run(120_000)
    expect(made.dead.size).toBe(0)
  })

  it('are known to be dead within five seconds', () => {
    const made = pool(seed)
    const [victim] = made.hidden
    expect(kill(made, victim as SimulatedNode<JelNode>)).toBeLessThan(5_000)
    made.simulation.run(60_000)
    expect([...made.dead]).toEqual([victim?.id])
  })

  it('survive their relays, all but one of them at once', () => {
    const made = pool(seed)
    const [last, ...relays] = made.direct.toSorted((a, b) => a.endpoint.circuits.size - b.endpoint.circuits.size)
    expect(circuits(relays)).toBeGreaterThan(0)
    kill(made, ...relays)
    made.simulation.run(60_000)
    expect(made.dead).toEqual(new Set(relays.map(({ id }) => id)))
    expect(last?.endpoint.circuits.size).toBeGreaterThan(0)
  })

  it('survive a relay that stands still, and one without a network', () => {
    const made = pool(seed)
    const [standing, silent] = made.direct.toSorted((a, b) => b.endpoint.circuits.size - a.endpoint.circuits.size)
    made.simulation.stopProcess(standing as SimulatedNode<JelNode>)
    made.simulation.run(8_000)
    made.simulation.continueProcess(standing as SimulatedNode<JelNode>)
    made.simulation.run(60_000)
    expect([...made.dead]).toEqual([])
    made.simulation.silence(silent as SimulatedNode<JelNode>)
    made.simulation.run(60_000)
    expect([...made.dead].filter((id) => id !== silent?.id)).toEqual([])
  })
})
