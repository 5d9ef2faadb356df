import type { Theme } from './case.ts'
import { check } from './failure.ts'
import type { SwarmNode, SwarmReign } from './swarm.ts'
import type { World } from './world.ts'

const election = 'master'

/** Splits a pool in halves. Waits until the nodes of each half see only each other. */
async function split(world: World, nodes: readonly SwarmNode[]): Promise<[left: SwarmNode[], right: SwarmNode[]]> {
  const half = Math.floor(nodes.length / 2)
  const left = nodes.slice(0, half)
  const right = nodes.slice(half)
  await world.partition(left, right)
  // Three times the measured time. In the measurement each half had twenty nodes, on silent hosts.
  await Promise.all([world.allSee(70_000, left), world.allSee(70_000, right)])
  return [left, right]
}

export const healing: Theme = {
  name: 'healing',
  cases: [
    {
      name: 'a partition that ends soon is not noticed',
      needs: ['partition'],
      async run(world) {
        const nodes = await world.pool()
        await world.partition(nodes.slice(0, 3), nodes.slice(3))
        await world.pass(500)
        await world.heal()
        await world.watch(5_000)
        world.nobodyElseEnded([], nodes)
        await world.allSee(1_000, nodes)
      },
    },
    {
      name: 'halves that pronounced each other dead find each other again, and no dead life returns',
      needs: ['partition', 'slow'],
      async run(world) {
        const nodes = await world.pool()
        await split(world, nodes)
        await world.pass(60_000)
        await world.heal()
        await world.allSee(20_000, nodes)
      },
    },
    {
      name: 'two halves, each with a winner, agree on one after the heal, in a new epoch',
      needs: ['partition', 'slow'],
      async run(world) {
        const nodes = await world.pool()
        const results = world.outcome(Promise.all(nodes.map(async (node) => await node.elect(election))))
        const first = await world.allAgree(3_000, election, nodes)
        await world.kept(1_000, 'all have their results', results.promise)
        const sides = await split(world, nodes)
        const reigns: SwarmReign[] = []
        for (const side of sides) {
          reigns.push(await world.allAgree(5_000, election, side, ({ winner }) => side.some(({ id }) => id === winner.id)))
        }
        check(
          reigns.some(({ epoch }) => epoch > first.epoch),
          () => 'the side without the winner did not elect its own',
        )
        await world.heal()
        await world.allSee(20_000, nodes)
        await world.allAgree(5_000, election, nodes, ({ epoch }) => reigns.every((reign) => epoch >= reign.epoch))
      },
    },
    {
      name: 'a member that was cut off for a minute comes back',
      needs: ['partition', 'slow'],
      async run(world) {
        const [lonely, ...others] = await world.pool()
        await world.partition([lonely], others)
        await world.allHear(30_000, 'died', [lonely], others)
        await world.pass(30_000)
        await world.heal()
        await world.allSee(20_000, [lonely, ...others])
      },
    },
    {
      name: 'members that are killed stay dead while partitions come and go',
      needs: ['partition', 'kill', 'slow'],
      async run(world) {
        let nodes: SwarmNode[] = await world.pool()
        for (let round = 0; round < 2; round++) {
          const [left] = await split(world, nodes)
          const [victim] = left.slice(1)
          check(victim !== undefined, () => 'a half has several members')
          await victim.kill()
          await world.pass(10_000)
          await world.heal()
          nodes = nodes.filter((node) => node !== victim)
          await world.allSee(20_000, nodes)
          nodes = [...nodes.slice(round + 2), ...nodes.slice(0, round + 2)]
        }
      },
    },
    {
      name: 'newcomers on both sides of a partition are known everywhere after the heal',
      needs: ['partition', 'slow'],
      async run(world) {
        const nodes = await world.pool(10)
        const [left, right] = await split(world, nodes)
        const newcomers = []
        for (const side of [left, right]) {
          const newcomer = await world.spawn({ introducers: side.slice(0, 1) })
          side.push(newcomer)
          newcomers.push(newcomer)
          await world.partition(left, right)
        }
        await Promise.all([world.allSee(10_000, left), world.allSee(10_000, right)])
        await world.heal()
        await world.allSee(20_000, [...nodes, ...newcomers])
      },
    },
    {
      name: 'two pools started apart merge when one node finds another',
      needs: ['introduce'],
      async run(world) {
        const one = await world.pool(5)
        const other = await world.pool(4)
        await world.introduce(one[1], other[1])
        await world.allSee(10_000, [...one, ...other])
        world.nobodyElseEnded([], [...one, ...other])
      },
    },
    {
      name: 'two pools, each with a winner, merge under one',
      needs: ['introduce'],
      async run(world) {
        const pools = [await world.pool(4), await world.pool(5)]
        for (const pool of pools) {
          for (const node of pool) world.outcome(node.elect(election))
          await world.allAgree(3_000, election, pool)
        }
        const [one, other] = pools
        check(one !== undefined && other !== undefined, () => 'there are two pools')
        await world.introduce(one[0], other[0])
        await world.allSee(10_000, pools.flat())
        await world.allAgree(5_000, election, pools.flat())
      },
    },
  ],
}
