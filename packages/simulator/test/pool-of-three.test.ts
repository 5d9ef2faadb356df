import type { Notification } from '@jel/protocol'
import { expect, it } from 'vitest'
import { uniformDelay, type JelNode, type Simulation } from '../src/index.ts'
import { describeFalseDeath, type FalseDeath } from '../src/protocol/ended-lives.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

class PoolOfThree {
  readonly simulation: Simulation<JelNode>
  readonly nodes: PoolNode[] = []
  readonly ended: string[] = []
  readonly told: { readonly node: PoolNode; readonly notification: Notification }[] = []

  constructor(seed: number) {
    const onFalseDeath = (death: FalseDeath): void => void this.ended.push(describeFalseDeath(death))
    this.simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) }, onFalseDeath })
    for (let i = 0; i < 3; i++) this.nodes.push(this.simulation.spawn({ introducers: this.nodes.slice(0, 1) }))
    this.simulation.runUntil(() => this.isWhole, 60_000, 'a pool')
    for (const node of this.nodes) node.command({ type: 'elect', election: 'master' })
    this.simulation.run(20_000 + seed * 331)
    this.simulation.subscribe((node, notification) => this.told.push({ node, notification }))
  }

  get isWhole(): boolean {
    return this.nodes.every(({ protocol }) => protocol.members().length === 3)
  }

  get winner(): string | undefined {
    return this.nodes[0]?.protocol.reign('master')?.winner.id
  }
}

it.each(seeds('1-5'))('one of three members, cut off for ten seconds, ends only its own life, and no reign of another, seed %i', (seed) => {
  const pool = new PoolOfThree(seed)
  const { simulation, nodes, told, winner } = pool
  const other = nodes.find(({ id }) => id !== winner) as PoolNode
  simulation.silence(other)
  simulation.run(10_000)
  simulation.silence(other, false)
  simulation.run(30_000)
  expect(pool.ended).toEqual([])
  expect(told.flatMap(({ notification: each }) => (each.type === 'died' && each.member.id !== other.id ? each.member.id : []))).toEqual([])
  expect(told.filter(({ notification: each }) => each.type === 'elected' && each.reign.winner.id !== winner)).toEqual([])
  expect([pool.isWhole, pool.winner]).toEqual([true, winner])
})

it.each(seeds('1-3'))('no life of three members ends falsely while two one-way paths are cut at a time, seed %i', (seed) => {
  const pool = new PoolOfThree(seed)
  const { simulation, nodes } = pool
  const [a, b, c] = nodes as [PoolNode, PoolNode, PoolNode]
  const ways = [
    [a, b],
    [b, a],
    [a, c],
    [c, a],
    [b, c],
    [c, b],
  ] as const
  // Cuts two one-way paths at a time, for five to seven seconds each. The cuts overlap.
  for (let i = 0; i < 15; i++) {
    for (const k of [0, 1 + ((seed + i) % 5)]) {
      const [from, to] = ways[(i + k) % ways.length] as (typeof ways)[number]
      const [start, span] = [((seed * 977 + i * 613 + k * 389) % 40) * 100, 5_000 + ((seed * 331 + i * 571 + k) % 20) * 100]
      simulation.after(start, () => simulation.cut(from, to))
      simulation.after(start + span, () => simulation.mend(from, to))
    }
    simulation.run(60_000)
  }
  expect(pool.ended).toEqual([])
  expect(pool.isWhole).toBe(true)
})

it.each(seeds('1-3'))('the last of three members is alone in the pool within seconds after the others are killed, seed %i', (seed) => {
  const { simulation, nodes } = new PoolOfThree(seed)
  const [last, ...others] = nodes as [PoolNode, PoolNode, PoolNode]
  for (const node of others) simulation.kill(node)
  simulation.runUntil(() => last.protocol.members().length === 1, 10_000, 'the deaths')
})
