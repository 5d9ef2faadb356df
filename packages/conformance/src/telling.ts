import type { Theme } from './case.ts'
import { check } from './failure.ts'
import type { SwarmEvent, SwarmNode } from './swarm.ts'
import type { World } from './world.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (value: Uint8Array): string => new TextDecoder().decode(value)

/** Returns the broadcast events of a node, as text. */
function eventsOf({ events }: SwarmNode): string[] {
  return events.flatMap((event) => (event.type === 'event' ? [`${event.name} ${text(event.payload)} of ${event.from.id}`] : []))
}

/**
 * Waits until each of these nodes has an event of that name. Then checks that each node has exactly
 * one such event: `payload` from `from`.
 */
async function allTold(world: World, nodes: readonly SwarmNode[], name: string, payload: string, from: SwarmNode): Promise<void> {
  const told = (node: SwarmNode): string[] => eventsOf(node).filter((event) => event.startsWith(`${name} `))
  await world.within(5_000, `all have the event ${name}`, () => nodes.every((node) => told(node).length > 0))
  for (const node of nodes)
    check(told(node).join() === `${name} ${payload} of ${from.id}`, () => `${node.id} has the events ${told(node).join(', ')}`)
}

/**
 * Waits until each of these nodes has this tag of `owner` in its events. Then checks that the view
 * of each node has the tag, too.
 */
async function allTag(world: World, nodes: readonly SwarmNode[], owner: SwarmNode, tag: string): Promise<void> {
  const knows = ({ events }: SwarmNode): boolean => {
    const last = events.findLast((event) => (event.type === 'joined' || event.type === 'updated') && event.member.id === owner.id)
    return last !== undefined && 'member' in last && text(last.member.tag) === tag
  }
  await world.within(5_000, `all know the tag ${tag}`, () => nodes.every(knows))
  const views = await world.kept(3_000, 'the nodes return their views', Promise.all(nodes.map(async (node) => await node.members())))
  for (const view of views) {
    const member = view.find(({ id }) => id === owner.id)
    check(
      member !== undefined && text(member.tag) === tag,
      () => `a view has ${member === undefined ? 'no such member' : text(member.tag)}`,
    )
  }
}

export const telling: Theme = {
  name: 'telling',
  cases: [
    {
      name: 'a signal reaches its receivers, and no other members',
      async run(world) {
        const [sender, ...others] = await world.pool()
        const receivers = others.slice(0, 3)
        const sent = sender.signal(
          'go',
          receivers.map(({ id }) => id),
        )
        await world.kept(2_000, 'the signal is acknowledged', sent)
        await world.within(1_000, 'the signal arrives', () => receivers.every(({ events }) => events.some(({ type }) => type === 'signal')))
        await world.watch(500)
        for (const node of [sender, ...others]) {
          const signals = node.events.filter((event) => event.type === 'signal')
          check(signals.length === (receivers.includes(node) ? 1 : 0), () => `${node.id} has ${signals.length} signals`)
          for (const { name, from } of signals)
            check(name === 'go' && from.id === sender.id, () => `the signal arrived as ${name} from ${from.id}`)
        }
      },
    },
    {
      name: 'a changed tag is known to all, newcomers included, and no member is reported as gone',
      async run(world) {
        const nodes = await world.pool()
        const [first, second] = nodes
        for (const tag of ['one', 'two', 'three']) await second.setTag(bytes(tag))
        await allTag(world, nodes, second, 'three')
        const newcomer = await world.spawn({ introducers: [first] })
        await world.allSee(3_000, [...nodes, newcomer])
        await allTag(world, [...nodes, newcomer], second, 'three')
        world.nobodyElseEnded([], nodes)
      },
    },
    {
      name: 'an event reaches each present member once, its sender included, and no later newcomer',
      async run(world) {
        const nodes = await world.pool()
        const [first, second] = nodes
        await second.broadcast('deploy', bytes('v2'))
        await first.broadcast('first', bytes(''))
        await allTold(world, nodes, 'deploy', 'v2', second)
        await allTold(world, nodes, 'first', '', first)
        const newcomer = await world.spawn({ introducers: [first] })
        await world.allSee(3_000, [...nodes, newcomer])
        await newcomer.broadcast('hello', bytes('all'))
        await allTold(world, [...nodes, newcomer], 'hello', 'all', newcomer)
        await world.watch(3_000)
        check(eventsOf(newcomer).length === 1, () => `the newcomer has the events ${eventsOf(newcomer).join(', ')}`)
        for (const node of nodes) check(eventsOf(node).length === 3, () => `${node.id} has the events ${eventsOf(node).join(', ')}`)
      },
    },
    {
      name: 'twenty events at once reach all members, each once',
      async run(world) {
        const nodes = await world.pool()
        const [, second] = nodes
        const sent = Array.from({ length: 20 }, (_, i) => `event ${i}`)
        for (const name of sent) await second.broadcast(name, bytes('x'))
        const expected = sent.map((name) => `${name} x of ${second.id}`).sort()
        await world.within(20_000, 'all nodes have all events', () => nodes.every((node) => eventsOf(node).length >= sent.length))
        await world.watch(2_000)
        for (const node of nodes)
          check(eventsOf(node).sort().join() === expected.join(), () => `${node.id} has the events ${eventsOf(node).join(', ')}`)
      },
    },
    {
      name: 'an event of a member that leaves right afterwards reaches all',
      async run(world) {
        const [first, second, ...others] = await world.pool()
        await second.broadcast('bye', bytes('all'))
        world.outcome(second.leave())
        await world.allHear(2_000, 'left', [second], [first, ...others])
        await allTold(world, [first, ...others], 'bye', 'all', second)
      },
    },
    {
      name: 'tags and events of two halves are known everywhere after the heal, each event once',
      needs: ['partition', 'slow'],
      async run(world) {
        const nodes = await world.pool()
        const half = Math.floor(nodes.length / 2)
        const [left, right] = [nodes.slice(0, half), nodes.slice(half)]
        const [one, other] = [left[0] as SwarmNode, right[0] as SwarmNode]
        await world.partition(left, right)
        await Promise.all([world.allSee(70_000, left), world.allSee(70_000, right)])
        await one.setTag(bytes('left'))
        await other.setTag(bytes('right'))
        await one.broadcast('left', bytes('l'))
        await other.broadcast('right', bytes('r'))
        await allTold(world, left, 'left', 'l', one)
        await allTold(world, right, 'right', 'r', other)
        await world.heal()
        await world.allSee(20_000, nodes)
        for (const [node, tag, payload] of [
          [one, 'left', 'l'],
          [other, 'right', 'r'],
        ] as const) {
          await allTag(world, nodes, node, tag)
          await allTold(world, nodes, tag, payload, node)
        }
      },
    },
    {
      name: 'a late subscriber is notified first of itself, then of all present, then of changes',
      needs: ['watch'],
      async run(world) {
        const [first, second, ...others] = await world.pool()
        world.outcome(second.leave())
        await world.allHear(1_000, 'left', [second], [first, ...others])
        const all = await first.watch()
        // Ignores `updated`: a member may find out its reach meanwhile.
        const changes = (): readonly SwarmEvent[] => all.filter(({ type }) => type !== 'updated')
        const present = [first, ...others]
        await world.within(1_000, 'the snapshot arrives', () => changes().length === present.length)
        const told = changes()
        check(
          told.every(({ type }) => type === 'joined'),
          () => 'the snapshot has other events than joins',
        )
        const ids = told.map((event) => ('member' in event ? event.member.id : ''))
        check(ids[0] === first.id, () => "the subscriber's own join does not come first")
        check(
          present.every(({ id }) => ids.includes(id)),
          () => 'a present member is missing from the snapshot',
        )
        const newcomer = await world.spawn({ introducers: [first] })
        await world.allSee(3_000, [...present, newcomer])
        await world.within(1_000, 'the join of the newcomer is reported', () => changes().length === present.length + 1)
        const last = changes().at(-1)
        check(last?.type === 'joined' && last.member.id === newcomer.id, () => 'the join of the newcomer was not reported')
      },
    },
  ],
}
