import type { Theme } from './case.ts'
import { check } from './failure.ts'

export const joining: Theme = {
  name: 'joining',
  cases: [
    {
      name: 'members that all enter through the first see each other once, each its own join first',
      async run(world) {
        const nodes = await world.pool()
        await world.watch(1_000)
        for (const { id, events } of nodes) {
          const joins = events.filter(({ type }) => type === 'joined')
          check(joins.length === nodes.length, () => `${id} was told ${joins.length} joins`)
        }
        world.nobodyElseEnded([], nodes)
      },
    },
    {
      name: 'a newcomer that enters later, through any member, is soon known everywhere',
      async run(world) {
        const nodes = await world.pool(5)
        for (let i = 0; i < 4; i++) {
          const introducer = nodes[(i * 2 + 1) % nodes.length]
          const newcomer = await world.spawn({ introducers: introducer === undefined ? [] : [introducer] })
          nodes.push(newcomer)
          await world.allSee(1_500, nodes)
        }
      },
    },
    {
      name: 'location and tag arrive unchanged',
      async run(world) {
        const first = await world.spawn()
        const tag = new TextEncoder().encode('grün\r\n"9\'')
        const second = await world.spawn({ introducers: [first], location: 'node7@räck2@delft', tag })
        await world.allSee(3_000, [first, second])
        const views = await world.kept(3_000, 'the view', Promise.all([first.members(), second.members()]))
        for (const view of views) {
          const member = view.find(({ id }) => id === second.id)
          check(member?.location === 'node7@räck2@delft', () => `the location arrived as ${member?.location}`)
          check(member.tag.join() === tag.join(), () => `the tag arrived as ${member.tag.join()}`)
        }
      },
    },
    {
      name: 'after the introducer is killed nothing is lost, and newcomers enter through any other member',
      needs: ['kill'],
      async run(world) {
        const [first, ...others] = await world.pool()
        await first.kill()
        await world.allHear(1_500, 'died', [first], others)
        await world.allSee(1_000, others)
        const newcomers = await Promise.all([0, 1].map(async (i) => await world.spawn({ introducers: others.slice(i, i + 1) })))
        await world.allSee(3_000, [...others, ...newcomers])
        for (const newcomer of newcomers)
          check(world.account(newcomer).endsOf(first.id).length === 0, () => 'a newcomer was told of the dead introducer')
      },
    },
    {
      name: 'a node with several addresses, of which the first is dead, enters through another',
      needs: ['kill'],
      async run(world) {
        const [first, ...others] = await world.pool(5)
        await first.kill()
        await world.allHear(3_000, 'died', [first], others)
        const newcomer = await world.spawn({ introducers: [first, ...others.slice(0, 1)] })
        await world.allSee(5_000, [...others, newcomer])
      },
    },
    {
      name: 'a node whose introducer does not answer goes on alone, and can be joined',
      needs: ['kill'],
      async run(world) {
        const gone = await world.spawn()
        await world.allSee(3_000, [gone])
        await gone.kill()
        const alone = await world.spawn({ introducers: [gone] })
        await world.allSee(10_000, [alone])
        const newcomer = await world.spawn({ introducers: [alone] })
        await world.allSee(3_000, [alone, newcomer])
      },
    },
    {
      name: 'an identity that comes back has a higher incarnation',
      needs: ['kill', 'identity'],
      async run(world) {
        const [first, second, ...others] = await world.pool(5)
        await second.kill()
        const again = await world.spawn({ introducers: [first], identityOf: second })
        check(again.id === second.id, () => 'the identity was not taken over')
        await world.allSee(10_000, [first, ...others, again])
        world.cameBack(again, 'died', [first, ...others])
      },
    },
  ],
}
