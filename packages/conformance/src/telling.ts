import type { Theme } from './case.ts'
import { check } from './failure.ts'

export const telling: Theme = {
  name: 'telling',
  cases: [
    {
      name: 'a signal reaches those it was sent to, and no others',
      async run(world) {
        const [sender, ...others] = await world.pool()
        const receivers = others.slice(0, 3)
        const sent = sender.signal(
          'go',
          receivers.map(({ id }) => id),
        )
        await world.kept(2_000, 'the signal is acknowledged', sent)
        await world.within(1_000, 'the signal is told', () => receivers.every(({ events }) => events.some(({ type }) => type === 'signal')))
        await world.watch(500)
        for (const node of [sender, ...others]) {
          const signals = node.events.filter((event) => event.type === 'signal')
          check(signals.length === (receivers.includes(node) ? 1 : 0), () => `${node.id} was told ${signals.length} signals`)
          for (const { name, from } of signals)
            check(name === 'go' && from.id === sender.id, () => `the signal arrived as ${name} from ${from.id}`)
        }
      },
    },
    {
      name: 'who subscribes late is told first of itself, then of all present, then of what happens',
      needs: ['watch'],
      async run(world) {
        const [first, second, ...others] = await world.pool()
        world.outcome(second.leave())
        await world.allHear(1_000, 'left', [second], [first, ...others])
        const told = await first.watch()
        const present = [first, ...others]
        await world.within(1_000, 'the snapshot is told', () => told.length === present.length)
        check(
          told.every(({ type }) => type === 'joined'),
          () => 'the snapshot holds something else than joins',
        )
        const ids = told.map((event) => ('member' in event ? event.member.id : ''))
        check(ids[0] === first.id, () => 'its own join does not come first')
        check(
          present.every(({ id }) => ids.includes(id)),
          () => 'somebody is missing from the snapshot',
        )
        const newcomer = await world.spawn({ introducers: [first] })
        await world.allSee(3_000, [...present, newcomer])
        await world.within(1_000, 'the newcomer is told', () => told.length === present.length + 1)
        const last = told.at(-1)
        check(last?.type === 'joined' && last.member.id === newcomer.id, () => 'what happened afterwards was not told')
      },
    },
  ],
}
