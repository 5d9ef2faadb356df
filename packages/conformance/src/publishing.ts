import type { Theme } from './case.ts'
import { check } from './failure.ts'
import type { SwarmNode } from './swarm.ts'
import type { World } from './world.ts'

const hour = 3_600_000
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array | undefined): string => new TextDecoder().decode(value)

/**
 * Waits until each of these nodes has reported this value of the record. If the value is undefined,
 * waits for the withdrawal.
 */
async function allHear(
  world: World,
  nodes: readonly SwarmNode[],
  owner: SwarmNode,
  name: string,
  value: string | undefined,
): Promise<void> {
  const knows = (node: SwarmNode): boolean => {
    const told = node.events.findLast((event) => event.type === 'record' && event.record.name === name && event.record.owner === owner.id)
    return told?.type === 'record' && (value === undefined ? told.record.value === undefined : text(told.record.value) === value)
  }
  const missing = (): number => nodes.filter((node) => !knows(node)).length
  await world.within(5_000, `all report the record ${name}`, () => missing() === 0)
}

/** Checks that each of these nodes holds exactly the expected records with this prefix, as text. */
async function allHold(world: World, nodes: readonly SwarmNode[], prefix: string, expected: readonly string[]): Promise<void> {
  const found = await world.kept(3_000, 'the nodes return their records', Promise.all(nodes.map((node) => node.records(prefix))))
  for (const records of found) {
    const held = records.map(({ name, value }) => `${name}=${text(value)}`)
    check(held.join() === expected.join(), () => `a node holds [${held.join(' ')}] instead of [${expected.join(' ')}]`)
  }
}

export const publishing: Theme = {
  name: 'publishing',
  cases: [
    {
      name: 'a record reaches all, is found by its name, and is replaced by a later version',
      async run(world) {
        const nodes = await world.pool()
        const [first, second] = nodes
        await first.publish('job/1', bytes('one'), hour)
        await second.publish('job/2', bytes('two'), hour)
        await second.publish('service', bytes('three'), hour)
        for (const [owner, name, value] of [
          [first, 'job/1', 'one'],
          [second, 'job/2', 'two'],
          [second, 'service', 'three'],
        ] as const)
          // prettier-ignore
          await allHear(world, nodes, owner, name, value)
        await allHold(world, nodes, 'job/', ['job/1=one', 'job/2=two'])
        await first.publish('job/1', bytes('anew'), hour)
        await allHear(world, nodes, first, 'job/1', 'anew')
        await allHold(world, nodes, 'job/', ['job/1=anew', 'job/2=two'])
      },
    },
    {
      name: 'a record outlives its owner, and newcomers have it',
      async run(world) {
        const nodes = await world.pool()
        const [first, second, ...others] = nodes
        await second.publish('job', bytes('mine'), hour)
        await allHear(world, nodes, second, 'job', 'mine')
        world.outcome(second.leave())
        await world.allHear(2_000, 'left', [second], [first, ...others])
        const newcomer = await world.spawn({ introducers: [first] })
        await world.allSee(3_000, [first, ...others, newcomer])
        await allHear(world, [newcomer], second, 'job', 'mine')
        await allHold(world, [first, ...others, newcomer], '', ['job=mine'])
      },
    },
    {
      name: 'a record that is withdrawn is gone everywhere',
      async run(world) {
        const nodes = await world.pool()
        const [first] = nodes
        await first.publish('job', bytes('mine'), hour)
        await allHear(world, nodes, first, 'job', 'mine')
        await first.unpublish('job')
        await allHear(world, nodes, first, 'job', undefined)
        await allHold(world, nodes, '', [])
      },
    },
    {
      name: 'a record that expires is gone everywhere',
      async run(world) {
        const nodes = await world.pool(3)
        const [first] = nodes
        await first.publish('job', bytes('mine'), 3_000)
        await allHear(world, nodes, first, 'job', 'mine')
        await world.pass(4_500)
        await allHold(world, nodes, '', [])
      },
    },
    {
      name: 'records that halves published apart reach all members after the heal',
      needs: ['partition', 'slow'],
      async run(world) {
        const nodes = await world.pool()
        const half = Math.floor(nodes.length / 2)
        const [left, right] = [nodes.slice(0, half), nodes.slice(half)]
        await world.partition(left, right)
        await Promise.all([world.allSee(70_000, left), world.allSee(70_000, right)])
        await (left[0] as SwarmNode).publish('left', bytes('l'), hour)
        await (right[0] as SwarmNode).publish('right', bytes('r'), hour)
        await world.pass(10_000)
        await allHold(world, left, '', ['left=l'])
        await allHold(world, right, '', ['right=r'])
        await world.heal()
        await world.allSee(20_000, nodes)
        await allHear(world, nodes, left[0] as SwarmNode, 'left', 'l')
        await allHear(world, nodes, right[0] as SwarmNode, 'right', 'r')
        await allHold(world, nodes, '', ['left=l', 'right=r'])
      },
    },
  ],
}
