/** The commands that choose members and lease their capacity. */
import type { ConditionCount } from '@jel/allocate'
import * as v from 'valibot'
import { countOfMembers, durationOf } from '../arguments.ts'
import { bool, number, text, texts } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine, shortId, span } from '../base/text.ts'
import { codeOf, CommandError, messageOf, UsageError } from '../base/usage-error.ts'
import { nodeJson } from '../events/events.ts'
import { command } from './command.ts'
import { memberAt } from './member-at.ts'
import { ASK_FLAGS, flag, JSON_LINES, repeated } from './flags.ts'

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
}

export const select = command({
  about:
    'the members that meet a condition over constants and attributes, the best first; count: an error if there are fewer; conditions counts the members for each part of where',
  fields: { where: v.optional(text), rank: v.optional(text), count: v.optional(number), location: v.optional(text) },
  answer: 'selected',
  async run({ count, ...options }, { agent }) {
    const { checkEnough } = await import('@jel/allocate')
    const selection = await agent.allocator.explain({ ...options, count })
    checkEnough(selection, count ?? 0)
    const { selected, considered, matching, conditions } = selection
    return {
      nodes: selected.map(({ member, rank }) => ({ ...nodeJson(member), ...(rank !== undefined && { rank }) })),
      considered,
      matching,
      conditions,
    }
  },
  shell: {
    // Whichever node asks, the same members match.
    asksAny: () => true,
    about: 'show the members that meet a condition, the best first; if there are none, how many meet each part of it',
    flags: [
      flag(
        '--where <condition>',
        'a condition over constants and attributes, as in "system.memory.limit >= 8e9 && system.cpu.load_average.1m < 1"',
      ),
      flag('--rank <expression>', 'a number: members with greater ones come first, as in -system.cpu.load_average.1m'),
      flag('--count <members>', 'so many members; status 1 if there are fewer', countOfMembers),
      flag('--location <levels>', 'only members whose location ends with these levels, as in delft@nl'),
      ...ASK_FLAGS,
    ],
    line: ({ where, rank, count, location }: SelectGiven) => ({ command: 'select', where, rank, count, location }),
    text: async ({ nodes, considered, conditions }) =>
      nodes.length === 0
        ? conditionsText(considered, conditions)
        : await tableOf([
            ['ID', 'LOCATION', 'RANK'],
            ...nodes.map(({ id, location, rank }) => [
              id,
              oneLine(location),
              rank === undefined ? '' : String(Number(rank.toPrecision(4))),
            ]),
          ]),
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
    'lease capacity of a member for this node; for and from are times in ms; background: a fair share of the rest; a repeated key is about the same lease',
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
      flag('--key <text>', 'a repeated key is about the same lease'),
      ...ASK_FLAGS,
    ],
    line({ id, amounts, after, background, key, ...given }: LeaseGiven) {
      if (given.for === undefined) throw new UsageError('lease: give its term, as in --for 60')
      return { command: 'lease', node: id, amounts: amountsOf(amounts), for: given.for, from: after, background, key }
    },
    text: ({ member, incarnation, number: no, amounts, startsIn, endsIn }) => [
      `lease ${no} of ${shortId(member)} (incarnation ${incarnation}): ${amountsText(amounts) || 'a share'}${startsIn > 0 ? `, in ${(startsIn / 1000).toFixed(1)} s` : ''}, for ${span(Math.ceil(endsIn / 1000) * 1000)}`,
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
    operands: [MEMBER, flag('<number>', 'the number of the lease', Number)],
    line: ({ id, number: no }: { readonly id: string; readonly number: number }) => ({ command: 'release', node: id, number: no }),
  },
})

export const leases = command({
  about: 'the capacities that members offer, and the leases of them; nodes has ids or ends of ids, else all members are asked',
  fields: { nodes: v.optional(texts) },
  answer: 'leases',
  async run({ nodes }, { agent: { pool, allocator } }) {
    const asked = nodes?.map((end) => memberAt(pool.members(), end).id) ?? pool.members().map(({ id }) => id)
    const members = await Promise.all(
      asked.map(async (member) => {
        try {
          return { member, ...(await allocator.leasesOf(member)) }
        } catch (error) {
          // A program need not lease anything.
          return { member, ...(codeOf(error) === 'OPEN_FAILED' && nodes === undefined ? { totals: {} } : { reason: messageOf(error) }) }
        }
      }),
    )
    return { members: members.filter((each) => 'reason' in each || Object.keys(each.totals).length > 0) }
  },
  shell: {
    asksAny: () => true,
    about: 'list the capacities that members offer, and the leases of them',
    flags: [repeated('--member <id>', 'only this member; may be repeated (default: all)'), JSON_LINES],
    line: ({ member }: { readonly member: readonly string[] }) => ({ command: 'leases', nodes: member.length === 0 ? undefined : member }),
    text: async ({ members }) =>
      await tableOf([
        ['MEMBER', 'OFFERS', 'LEASE', 'AMOUNTS', 'HOLDER', 'BEGINS IN', 'ENDS IN'],
        ...members.flatMap(({ member, totals = {}, leases: list = [], reason }) => {
          const offers = reason === undefined ? amountsText(totals) : oneLine(reason)
          if (list.length === 0) return [[shortId(member), offers]]
          return list.map((each, at) => [
            shortId(member),
            at === 0 ? offers : '',
            `${each.number}${each.background ? ' background' : ''}`,
            amountsText(each.amounts),
            oneLine(shortId(each.holder)),
            each.startsIn > 0 ? span(each.startsIn) : 'now',
            span(each.endsIn),
          ])
        }),
      ]),
  },
})

/** Returns the number of members that meet each part of a condition. */
function conditionsText(considered: number, conditions: readonly ConditionCount[]): string[] {
  return conditions.map(({ condition, holds, unknown }) => {
    const note = unknown === 0 ? '' : `; an attribute of it is unknown at ${unknown}`
    return `${oneLine(condition)}: ${holds} of ${considered}${note}`
  })
}

function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([name, amount]) => oneLine(`${name}=${Number(amount.toPrecision(6))}`))
    .join(' ')
}
