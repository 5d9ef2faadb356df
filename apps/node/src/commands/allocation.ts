/** The commands that choose members and lease their capacity. */
import type { ConditionCount, Pattern, Placed } from '@jel/allocate'
import * as v from 'valibot'
import { countOfMembers, durationOf } from '../arguments.ts'
import { bool, number, oneOf, text } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { CommandError, UsageError } from '../base/usage-error.ts'
import { nodeJson } from '../events/events.ts'
import { command, type EventOf } from './command.ts'
import { memberAt } from './member-at.ts'
import { ASK_FLAGS, flag } from './flags.ts'
import { amountsText, durationText, shortId, timeText } from '../events/quantity.ts'

const MEMBER = flag('<id>', 'the id of the member, or its end')
const FOR = flag('--for <seconds>', 'the term of the lease', durationOf)

const amountsOfLine = v.record(v.string(), v.number('must be a number'), 'must be an object of numbers')

/** Parses capacities, such as `cpus=2`. */
function amountsOf(texts_: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts_.map((each) => {
      const [, name, amount] = /^([a-z_][\w.]*)=(\d+(?:\.\d+)?)$/iu.exec(each) ?? []
      if (name === undefined) throw new UsageError(`${JSON.stringify(each)}: a capacity is NAME=AMOUNT, as in cpus=2`)
      return [name, Number(amount)]
    }),
  )
}

interface SelectGiven {
  readonly where?: string
  readonly rank?: string
  readonly count?: number
  readonly location?: string
  readonly nearest?: boolean
  readonly pattern?: Pattern
  readonly timeout?: number
}

const PATTERNS = ['ring', 'all', 'star'] as const

export const select = command({
  about:
    'the members that meet a condition over constants and attributes, the best first; score: the value of rank at a member; count: an error if there are fewer; conditions counts the members for each part of where; pattern: chooses and orders as many members as count says, so that the slowest pair of the pattern is as fast as possible; timeout: limits the measurement of their pairs, in ms',
  fields: {
    where: v.optional(text),
    rank: v.optional(text),
    count: v.optional(number),
    location: v.optional(text),
    nearest: v.optional(bool),
    pattern: v.optional(v.union([oneOf(...PATTERNS), v.array(v.tuple([number, number]))], 'must be ring, all, star or pairs of positions')),
    timeout: v.optional(number),
  },
  answer: 'selected',
  async run({ count, ...options }, { agent, signal }) {
    const { checkEnough } = await import('@jel/allocate')
    const selection = await agent.allocator.explain({ ...options, count, signal })
    checkEnough(selection, count ?? 0)
    const { selected, considered, matching, conditions, placed } = selection
    return {
      nodes: selected.map(({ member, rank }) => ({ ...nodeJson(member), ...(rank !== undefined && { score: rank }) })),
      considered,
      matching,
      conditions,
      ...(placed !== undefined && { placed: placedJson(placed) }),
    }
  },
  shell: {
    // Whichever node asks, the same members match, unless the nearest ones are asked for.
    asksAny: ({ nearest }: SelectGiven) => nearest !== true,
    about: 'show the members that meet a condition, the best first; if there are none, how many meet each part of it',
    flags: [
      flag(
        '--where <condition>',
        'a condition over constants and attributes, as in "system.memory.limit >= 8e9 && system.cpu.load_average.1m < 1"',
      ),
      flag('--rank <expression>', 'a number: members with greater ones come first, as in -system.cpu.load_average.1m'),
      flag('--count <members>', 'the number of members; status 1 if there are fewer', countOfMembers),
      flag('--location <levels>', 'only members whose location ends with these levels, as in delft@nl'),
      flag('--nearest', 'ask near members first, and others only if fewer than --count match'),
      flag(
        '--pattern <pattern>',
        'place --count members so that the slowest edge of a pattern is as fast as possible; the measurement of their pairs takes half a minute, or --timeout',
        PATTERNS,
      ),
      ...ASK_FLAGS,
    ],
    line: ({ where, rank, count, location, nearest, pattern, timeout }: SelectGiven) => ({
      command: 'select',
      where,
      rank,
      count,
      location,
      nearest,
      ...(pattern !== undefined && { pattern, timeout }),
    }),
    text: async ({ nodes, considered, conditions, placed }) =>
      nodes.length === 0
        ? conditionsText(considered, conditions)
        : [
            ...(await tableOf([
              ['ID', 'LOCATION', 'SCORE'],
              ...nodes.map(({ id, location, score }) => [
                id,
                oneLine(location),
                score === undefined ? '' : String(Number(score.toPrecision(4))),
              ]),
            ])),
            ...placedText(placed),
          ],
    status: ({ nodes }) => (nodes.length === 0 ? 1 : 0),
  },
})

interface LeaseGiven {
  readonly id: string
  readonly amounts: readonly string[]
  readonly for?: number
  readonly after?: number
  readonly background?: boolean
  readonly key?: string
}

export const lease = command({
  about:
    'lease capacity of a member for this node; for and from are times in ms; background: the lease has at most these amounts, and less while other leases need the capacity; key: a second request with the same key gets the same lease',
  fields: {
    node: text,
    amounts: amountsOfLine,
    for: number,
    from: v.optional(number),
    background: v.optional(bool),
    key: v.optional(text),
  },
  answer: 'lease',
  async run({ node, amounts, ...options }, { agent }) {
    const { allocator, pool } = agent
    const granted = await allocator.lease(memberAt(pool.members(), node).id, amounts, options)
    return { ...granted.token, amounts: granted.amounts, startsIn: granted.startsIn, endsIn: granted.endsIn }
  },
  shell: {
    about: 'lease capacity of a member for this node, and show the token of the lease',
    operands: [MEMBER, flag('<amounts...>', 'capacities, as in cpus=2')],
    flags: [
      FOR,
      flag('--after <seconds>', 'the lease begins after this time (default: now)', durationOf),
      flag('--background', 'take a fair share of whatever other leases leave'),
      flag('--key <text>', 'a second request with the same key gets the same lease'),
      ...ASK_FLAGS,
    ],
    line({ id, amounts, after, background, key, ...given }: LeaseGiven) {
      if (given.for === undefined) throw new UsageError('lease: give its term, as in --for 60')
      return { command: 'lease', node: id, amounts: amountsOf(amounts), for: given.for, from: after, background, key }
    },
    text: ({ member, incarnation, number: no, amounts, startsIn, endsIn }) => [
      `lease ${no} of ${shortId(member)} (incarnation ${incarnation}): ${oneLine(amountsText(amounts)) || 'a share'}${startsIn > 0 ? `, in ${timeText(startsIn)}` : ''}, for ${durationText(Math.ceil(endsIn / 1000) * 1000)}`,
    ],
  },
})

export const release = command({
  about: 'give back a lease that this node holds',
  fields: { node: text, number },
  async run({ node, number: no }, { agent }) {
    const member = memberAt(agent.pool.members(), node).id
    const held = agent.allocator.held.find(({ token }) => token.member === member && token.number === no)
    if (held === undefined) throw new CommandError('INVALID_COMMAND', `this node holds no lease ${no} of ${member}`)
    await held.release()
  },
  shell: {
    about: 'give back a lease that this node holds',
    operands: [MEMBER, flag('<number>', 'the number of the lease, as jel leases shows it', countOfMembers)],
    line: ({ id, number: no }: { readonly id: string; readonly number: number }) => ({ command: 'release', node: id, number: no }),
  },
})

/** Returns the number of members that meet each part of a condition. */
function conditionsText(considered: number, conditions: readonly ConditionCount[]): string[] {
  return conditions.map(({ condition, holds, unknown }) => {
    const note = unknown === 0 ? '' : `; an attribute of it is unknown at ${unknown}`
    return `${oneLine(condition)}: ${holds} of ${considered}${note}`
  })
}

type PlacedJson = NonNullable<EventOf<'selected'>['placed']>

function placedJson({ slowest, isBest, unknown }: Placed): PlacedJson {
  return {
    ...(slowest !== undefined && {
      slowest: { nodes: slowest.members, roundTrip: slowest.roundTrip, bandwidth: slowest.bandwidth },
    }),
    isBest,
    unknown: unknown.map(({ members, reason }) => ({ nodes: members, reason })),
  }
}

/** Describes the slowest edge of a pattern, and the pairs without a measurement. */
function placedText(placed: PlacedJson | undefined): string[] {
  if (placed === undefined) return []
  const { slowest, isBest, unknown } = placed
  const pairOf = (nodes: readonly string[]): string => nodes.map((id) => shortId(id)).join(' and ')
  return [
    ...(slowest === undefined
      ? []
      : [
          `slowest edge: ${pairOf(slowest.nodes)}, ${(slowest.bandwidth / 1e6).toPrecision(3)} MB/s, ${slowest.roundTrip.toPrecision(3)} ms`,
        ]),
    ...(isBest ? [] : ['another order may be faster: there are too many to try all']),
    ...unknown.map(({ nodes, reason }) => oneLine(`unknown, and not used: ${pairOf(nodes)}: ${reason}`)),
  ]
}
