import type { Theme } from './case.ts'
import { check } from './failure.ts'

export const dying: Theme = {
  name: 'dying',
  cases: [
    {
      name: 'a killed member is reported as dead, and no other member',
      needs: ['kill'],
      async run(world) {
        const [first, second, ...others] = await world.pool()
        await second.kill()
        // The topic of such a young pool has a sparse mesh. Some members learn of the death only at
        // gossipsub's next heartbeat.
        await world.allHear(2_000, 'died', [second], [first, ...others])
        await world.watch(3_000)
        world.nobodyElseEnded([second], [first, ...others])
        await world.allSee(1, [first, ...others])
      },
    },
    {
      name: 'a third is killed at once, and no other member is reported as dead',
      needs: ['kill'],
      async run(world) {
        const nodes = await world.pool()
        const count = Math.round(nodes.length * 0.3)
        const victims = nodes.slice(2, 2 + count)
        const others = nodes.filter((node) => !victims.includes(node))
        await Promise.all(victims.map(async (node) => await node.kill()))
        await world.allHear(3_000, 'died', victims, others)
        await world.watch(3_000)
        world.nobodyElseEnded(victims, others)
        await world.allSee(1, others)
      },
    },
    {
      name: 'the other of two members reports that one was killed',
      needs: ['kill'],
      async run(world) {
        const [first, second] = await world.pool(2)
        await first.kill()
        await world.allHear(2_000, 'died', [first], [second])
      },
    },
    {
      name: 'the last member reports that all others were killed at once',
      needs: ['kill'],
      async run(world) {
        const [last, ...victims] = await world.pool(Math.min(world.size, 10))
        await Promise.all(victims.map(async (node) => await node.kill()))
        await world.allHear(10_000, 'died', victims, [last])
      },
    },
    {
      name: 'a silent host is reported as dead',
      needs: ['silence'],
      async run(world) {
        const [first, second, ...others] = await world.pool()
        await second.silence()
        await world.allHear(6_000, 'died', [second], [first, ...others])
        await world.watch(3_000)
        world.nobodyElseEnded([second], [first, ...others])
      },
    },
    {
      name: 'a pause of 5 s causes no death, in either direction',
      needs: ['pause'],
      async run(world) {
        const nodes = await world.pool()
        const [, second] = nodes
        await second.pause()
        await world.pass(5_000)
        await second.resume()
        await world.watch(5_000)
        world.nobodyElseEnded([], nodes)
        await world.allSee(1_000, nodes)
      },
    },
    {
      name: 'a member that pauses for 60 s dies, and comes back with a higher incarnation and a whole view',
      needs: ['pause', 'slow'],
      async run(world) {
        const nodes = await world.pool()
        const [first, second, ...others] = nodes
        await second.pause()
        await world.allHear(60_000, 'died', [second], [first, ...others])
        await world.pass(30_000)
        await world.allSee(1, [first, ...others])
        await second.resume()
        await world.allSee(10_000, nodes)
        for (const node of [first, ...others]) {
          check((world.account(node).present.get(second.id) ?? 0) > 1, () => 'the member came back with the incarnation it had')
          check(
            world.account(node).endsOf(second.id).join() === 'died',
            () => `a node reported the ends ${world.account(node).endsOf(second.id).join()}`,
          )
        }
        world.nobodyElseEnded([second], [first, ...others])
      },
    },
    {
      name: 'a hint that a member may be dead causes no death',
      async run(world) {
        const nodes = await world.pool()
        const [first, second, third] = nodes
        for (const node of [first, third]) await world.kept(1_000, 'the hint is taken', node?.maybeDead(second.id) ?? Promise.resolve())
        await world.watch(5_000)
        world.nobodyElseEnded([], nodes)
      },
    },
    {
      name: 'in a quiet pool nothing happens for a minute',
      needs: ['slow'],
      async run(world) {
        const nodes = await world.pool()
        const before = nodes.map(({ events }) => events.length)
        await world.pass(60_000)
        check(
          nodes.every(({ events }, i) => events.length === before[i]),
          () => 'a node reported an event',
        )
      },
    },
  ],
}
