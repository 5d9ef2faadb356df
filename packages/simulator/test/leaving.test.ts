import { expect, it } from 'vitest'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

/**
 * All but the last member leave one after another. Some entered so late that they are in no mesh of
 * the topic yet.
 */
it.each([
  ...seeds('92-100').map((seed) => ({ seed, size: 8, young: 1, apart: 40 })),
  ...seeds('1-9').map((seed) => ({ seed, size: 12, young: 2, apart: 20 })),
])('newcomers see leavers as left, too: $young of $size entered last, $apart ms apart, seed $seed', ({ seed, size, young, apart }) => {
  const simulation = simulatePool({ seed })
  const nodes: PoolNode[] = []
  const enter = (count: number): void => {
    for (let i = 0; i < count; i++) {
      nodes.push(simulation.spawn({ introducers: nodes.slice(0, 1) }))
      if (nodes.length === 1) simulation.run(100)
    }
    simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === nodes.length), 60_000, 'a pool')
  }
  enter(size - young)
  simulation.run(5_000)
  enter(young)
  simulation.run(700)
  const died: string[] = []
  simulation.subscribe((node, notification) => {
    if (notification.type === 'died') died.push(`${node.index} was told of ${notification.member.id}`)
  })
  for (const node of nodes.slice(0, -1)) {
    simulation.leave(node)
    simulation.run(apart)
  }
  simulation.run(20_000)
  expect(died).toEqual([])
  expect(nodes.at(-1)?.protocol.members()).toHaveLength(1)
})

it('a leaving member may be killed before it has stopped', () => {
  const simulation = simulatePool({ seed: 1 })
  const founder = simulation.spawn()
  simulation.run(1_000)
  const other = simulation.spawn({ introducers: [founder] })
  simulation.run(3_000)
  simulation.leave(other)
  simulation.kill(other)
  simulation.run(3_000)
  expect(founder.protocol.members()).toHaveLength(1)
})

/** Each newcomer has one link, to the founder, until it has received the whole pool. */
it.each(seeds('1-20').map((seed) => ({ seed })))(
  'a newcomer that leaves at once together with its only neighbour is reported as left: seed $seed',
  ({ seed }) => {
    const simulation = simulatePool({ seed, network: { delay: () => 80 } })
    const founder = simulation.spawn()
    simulation.run(1_000)
    const nodes = [founder, ...Array.from({ length: 7 }, () => simulation.spawn({ introducers: [founder] }))]
    simulation.runUntil(() => nodes.every(({ protocol }) => protocol.members().length === nodes.length), 60_000, 'a pool')
    const leavers = nodes.filter((_, i) => i % 3 === 0)
    const others = nodes.filter((node) => !leavers.includes(node))
    const ends: string[] = []
    simulation.subscribe((node, { type, ...rest }) => {
      if (others.includes(node) && 'member' in rest && (type === 'died' || type === 'left')) ends.push(type)
    })
    for (const node of leavers) {
      simulation.leave(node)
      simulation.run(25)
    }
    simulation.run(5_000)
    expect(ends).toEqual(Array(leavers.length * others.length).fill('left'))
  },
)
