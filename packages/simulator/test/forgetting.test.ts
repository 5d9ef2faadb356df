import {
  makeConfig,
  ProtobufCodec,
  ProtocolNode,
  Registry,
  type Codec,
  type Config,
  type Effect,
  type Input,
  type Milliseconds,
  type NodeId,
} from '@jel/protocol'
import { expect, it } from 'vitest'
import { aged, isEnd } from '../src/hostile/words.ts'
import type { JelNode, Payload, ProtocolParts } from '../src/index.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

it('a member that stays needs no more memory after many have come and gone', () => {
  const config = makeConfig({ tombstones: { lifetime: 200_000 }, healing: { memory: 100_000 } })
  // As on real hosts each node has a registry of its own, and messages are bytes. So a registry
  // shows the facts that its node holds.
  const registries = new Map<NodeId, Registry>()
  const createProtocol = (parts: ProtocolParts): JelNode => {
    const registry = new Registry()
    registries.set(parts.id, registry)
    return new ProtocolNode({ ...parts, config, services: { ...parts.services, registry } })
  }
  const simulation = simulatePool({ seed: 1, createProtocol, codec: new ProtobufCodec(config.limits) })
  const first = simulation.spawn()
  simulation.run(100)
  const enter = (count: number): PoolNode[] => Array.from({ length: count }, () => simulation.spawn({ introducers: [first] }))
  const staying = [first, ...enter(4)]
  simulation.run(10_000)
  const remembered = (): number[] => staying.map(({ id }) => registries.get(id)?.order.size ?? 0)
  const before = remembered()
  expect(before).toEqual([5, 5, 5, 5, 5])
  for (let lifetimes = 0; lifetimes < 3; lifetimes++) {
    const passing = enter(20)
    simulation.run(10_000)
    for (const [i, node] of passing.entries())
      if (i % 2 === 0) simulation.kill(node)
      else simulation.leave(node)
    simulation.run(10_000)
    for (const node of staying) expect(node.protocol.members()).toHaveLength(5)
    simulation.run(220_000)
    expect(remembered()).toEqual(before)
  }
})

/**
 * A member that follows the protocol, but states the age at which ends are forgotten for all ends
 * that it reports.
 */
class Ager extends ProtocolNode<Payload> {
  readonly #codec: Codec<Payload>
  readonly #age: number

  constructor(parts: ProtocolParts, config: Config) {
    super({ ...parts, config })
    this.#codec = parts.services.codec as Codec<Payload>
    this.#age = config.tombstones.lifetime / 1_000
  }

  override handle(input: Input<Payload>, now: Milliseconds): Effect<Payload>[] {
    return super.handle(input, now).map((effect) => {
      if (effect.type !== 'send') return effect
      const message = this.#codec.decodeFrame(effect.data)
      if (message.facts === undefined) return effect
      const facts = message.facts.facts.map((each) => ('fact' in each && isEnd(each.fact) ? aged(each.fact, this.#age) : each))
      return { ...effect, data: this.#codec.encodeFrame({ ...message, facts: { ...message.facts, facts } }) }
    })
  }
}

it.each(seeds('1-3'))(
  'newcomers that received ends with a false high age remember them after all better sources are gone, seed %i',
  (seed) => {
    const config = makeConfig({ tombstones: { lifetime: 1_000_000 }, healing: { memory: 900_000 } })
    const simulation = simulatePool({ seed, createProtocol: (parts) => new ProtocolNode({ ...parts, config }) })
    const joined: NodeId[] = []
    const first = simulation.spawn()
    simulation.run(100)
    const [leaver, away, ...others] = [1, 2, 3, 4, 5, 6].map(() => simulation.spawn({ introducers: [first] })) as [PoolNode, PoolNode]
    const ager = simulation.spawn({ introducers: [first], createProtocol: (parts) => new Ager(parts, config) })
    simulation.run(10_000)
    simulation.partition([first, leaver, ager, ...others], [away])
    simulation.leave(leaver)
    simulation.run(10_000)
    simulation.subscribe((_, notification) => {
      if (notification.type === 'joined') joined.push(notification.member.id)
    })
    const newcomers = [1, 2, 3].map(() => simulation.spawn({ introducers: [ager] }))
    simulation.run(60_000)
    // By now other members have sent the newcomers the true ages of the ends.
    for (const node of [first, ager, ...others]) simulation.kill(node)
    simulation.run(60_000)
    for (const { protocol } of newcomers) expect(protocol.members()).toHaveLength(3)
    // A tenth of the time for which ends are remembered is over. A node that missed all ends comes
    // back with old news.
    expect(away.protocol.members().map(({ id }) => id)).toContain(leaver.id)
    simulation.heal()
    const [address] = away.addresses
    if (address !== undefined) newcomers[0]?.inject({ type: 'discovered', introducer: { id: away.id, address } })
    simulation.runUntil(() => newcomers.every(({ protocol }) => protocol.member(away.id) !== undefined), 60_000, 'its return')
    simulation.run(30_000)
    expect(joined).not.toContain(leaver.id)
  },
)
