import { expect, it } from 'vitest'
import { uniformDelay } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

/** Two sites without a path between them, and one node that reaches both. */
class Bridged {
  readonly simulation: ReturnType<typeof simulatePool>
  readonly bridge: PoolNode
  readonly all: readonly PoolNode[]
  /** Lives whose end any node was notified of. */
  readonly ended = new Set<string>()

  constructor(seed: number, size: number) {
    this.simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) } })
    this.bridge = this.simulation.spawn()
    const site = (): PoolNode[] => Array.from({ length: size }, () => this.simulation.spawn({ introducers: [this.bridge], after: 100 }))
    const [one, other] = [site(), site()]
    this.all = [this.bridge, ...one, ...other]
    this.simulation.runUntil(() => this.isWhole, 60_000, 'a pool')
    this.simulation.run(30_000)
    this.simulation.subscribe((_, told) => told.type === 'died' && this.ended.add(`${told.member.id}#${told.member.incarnation}`))
    for (const a of one)
      for (const b of other) {
        this.simulation.cut(a, b)
        this.simulation.cut(b, a)
      }
    this.simulation.run(60_000)
  }

  get isWhole(): boolean {
    return this.all.every(({ protocol }) => protocol.members().length === this.all.length)
  }
}

it.each(seeds('1-2'))('nobody dies behind the only bridge between two sites while it stands still for seconds, seed %i', (seed) => {
  const pool = new Bridged(seed, 20)
  const { simulation, bridge } = pool
  simulation.run((seed * 1_777) % 120_000)
  simulation.stopProcess(bridge)
  simulation.run(8_000 + (seed % 5) * 1_000)
  simulation.continueProcess(bridge)
  simulation.run(60_000)
  expect([...pool.ended]).toEqual([])
  expect(pool.isWhole).toBe(true)
})

it.each(seeds('1-2'))('a death behind the only bridge between two sites is known on both, seed %i', (seed) => {
  const pool = new Bridged(seed, 10)
  const { simulation, bridge } = pool
  const [victim] = pool.all.filter((node) => node !== bridge)
  if (victim === undefined) expect.unreachable()
  simulation.run(seed * 1_777)
  simulation.kill(victim)
  const rest = pool.all.filter((node) => node !== victim)
  simulation.runUntil(() => rest.every(({ protocol }) => protocol.member(victim.id) === undefined), 45_000, 'the death')
  simulation.run(30_000)
  expect(pool.ended.size).toBe(1)
})
