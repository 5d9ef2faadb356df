import type { Theme } from './case.ts'
import { check } from './failure.ts'

export const leaving: Theme = {
  name: 'leaving',
  cases: [
    {
      name: 'a member that leaves is reported as left, and not as dead',
      async run(world) {
        const [first, second, ...others] = await world.pool()
        const leave = world.outcome(second.leave())
        await world.allHear(500, 'left', [second], [first, ...others])
        await world.within(3_000, 'it has stopped', () => leave.state === 'kept')
        await world.watch(3_000)
        await world.allSee(1, [first, ...others])
        world.nobodyElseEnded([second], [first, ...others])
      },
    },
    {
      name: 'several members leave at once, the founder among them',
      async run(world) {
        const nodes = await world.pool()
        const leavers = nodes.filter((_, i) => i % 3 === 0)
        const others = nodes.filter((_, i) => i % 3 !== 0)
        for (const node of leavers) world.outcome(node.leave())
        await world.allHear(1_000, 'left', leavers, others)
        await world.watch(3_000)
        await world.allSee(1, others)
        world.nobodyElseEnded(leavers, others)
      },
    },
    {
      name: 'a newcomer gets no report of members that left before',
      async run(world) {
        const [first, second, ...others] = await world.pool(5)
        world.outcome(second.leave())
        await world.allHear(1_000, 'left', [second], [first, ...others])
        const newcomer = await world.spawn({ introducers: [first] })
        await world.allSee(3_000, [first, ...others, newcomer])
        await world.watch(2_000)
        const told = newcomer.events.some((event) => 'member' in event && event.member.id === second.id)
        check(!told, () => 'it was told of who had left')
      },
    },
    {
      name: 'a member that stays behind alone can be joined',
      async run(world) {
        const [first, second] = await world.pool(2)
        world.outcome(first.leave())
        await world.allHear(1_000, 'left', [first], [second])
        const newcomer = await world.spawn({ introducers: [second] })
        await world.allSee(3_000, [second, newcomer])
      },
    },
    {
      name: 'all members leave at once, and each of them stops',
      async run(world) {
        const nodes = await world.pool(5)
        const leaves = nodes.map((node) => world.outcome(node.leave()))
        await world.within(5_000, 'all have stopped', () => leaves.every(({ state }) => state === 'kept'))
        for (const node of nodes) {
          const died = world.account(node).ended.filter(({ how }) => how === 'died')
          check(died.length === 0, () => 'one that left was told that another died')
        }
      },
    },
    {
      name: 'an identity that left comes back with a higher incarnation',
      needs: ['identity'],
      async run(world) {
        const [first, second, ...others] = await world.pool(5)
        await world.kept(3_000, 'it has stopped', second.leave())
        const again = await world.spawn({ introducers: [first], identityOf: second })
        await world.allSee(5_000, [first, ...others, again])
        world.cameBack(again, 'left', [first, ...others])
      },
    },
  ],
}
