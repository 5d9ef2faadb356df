import type { Effect, Message, NodeId } from '@jel/protocol'
import { expect, it } from 'vitest'
import { encode } from '../src/hostile/words.ts'
import { uniformDelay } from '../src/index.ts'
import { Puppet } from './puppet.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

it.each(seeds('1-3'))('a member that stands still for seconds lives, even if all others stand still for a minute, seed %i', (seed) => {
  const simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) } })
  const died: NodeId[] = []
  simulation.subscribe((_, notification) => {
    if (notification.type === 'died') died.push(notification.member.id)
  })
  const nodes: PoolNode[] = []
  for (let i = 0; i < 12; i++) {
    nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
    if (i === 0) simulation.run(100)
  }
  simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === nodes.length), 60_000, 'a pool')
  simulation.run(30_000)
  const [slow, ...others] = nodes as [PoolNode, ...PoolNode[]]
  simulation.stopProcess(slow)
  // Before and after their own stop, the others miss it for thirteen seconds in all. A silent
  // process gets fifteen.
  simulation.run(10_000)
  for (const node of others) simulation.stopProcess(node)
  simulation.run(60_000)
  for (const node of others) simulation.continueProcess(node)
  simulation.run(3_000)
  simulation.continueProcess(slow)
  simulation.run(60_000)
  expect(died).toEqual([])
})

it.each(seeds('1-3'))('a hung member is suspected as soon as usual while strangers probe it, seed %i', (seed) => {
  const simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) } })
  const nodes: PoolNode[] = []
  for (let i = 0; i < 3; i++) {
    nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
    if (i === 0) simulation.run(100)
  }
  simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === nodes.length), 60_000, 'a pool')
  simulation.run(30_000)
  const [victim, ...others] = nodes as [PoolNode, ...PoolNode[]]
  let sequence = 0
  const say = (message: Message): Effect => ({ type: 'send', to: victim.id, data: encode(message) })
  for (let i = 0; i < 12; i++) {
    let puppet: Puppet | undefined
    const stranger = simulation.spawn({ createProtocol: (parts) => (puppet = new Puppet(parts)) })
    let isLinked = false
    const turn = (): void => {
      if (puppet === undefined || victim.state !== 'running') return
      const effects = isLinked
        ? [say({ probe: { sequence: (sequence += 1) } })]
        : [{ type: 'connect', peer: victim.id, addresses: victim.addresses } satisfies Effect]
      puppet.answer = (input) => {
        if (input.type === 'disconnected') isLinked = false
        if (input.type !== 'connected') return input.type === 'command' ? effects : []
        isLinked = true
        return [say({ hello: { known: 0, ended: false, incarnation: 0 } })]
      }
      stranger.command({ type: 'withdraw', election: 'turn' })
      simulation.after(500, turn)
    }
    simulation.after(10 + i * 40, turn)
  }
  simulation.run(60_000)
  expect(sequence).toBeGreaterThan(12 * 60)
  simulation.stopProcess(victim)
  const isMissed = (): boolean => others.some(({ protocol }) => protocol.health().suspectedShare > 0)
  expect(simulation.runUntil(isMissed, 60_000, 'a suspicion')).toBeLessThan(4_500)
})
