/** The commands about members. */
import * as v from 'valibot'
import { tagText } from '../events/event-text.ts'
import { listMembers, type MemberFilter } from '../agent/member-list.ts'
import { oneOf, text } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { CommandError } from '../base/usage-error.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'
import { durationText } from '../events/quantity.ts'

const ORDERS = ['id', 'join'] as const
const STATES = ['here', 'left', 'died', 'all'] as const

export const members = command({
  about: 'tag is a regular expression; the default state is here, and the default order that of the ids',
  fields: {
    location: v.optional(text),
    tag: v.optional(text),
    state: v.optional(oneOf(...STATES)),
    order: v.optional(oneOf(...ORDERS)),
  },
  answer: 'members',
  run({ order = 'id', ...filter }, { agent }) {
    try {
      return { nodes: listMembers(agent.pool.members({ order }), agent.model, filter) }
    } catch (error) {
      throw error instanceof RangeError ? new CommandError('INVALID_COMMAND', `members: ${error.message}`) : error
    }
  },
  shell: {
    about: 'list the members',
    asksAny: () => true,
    flags: [
      ...ASK_FLAGS,
      flag('--location <levels>', 'only members whose location ends with these levels, as in delft@nl'),
      flag('--tag <expression>', 'only members whose tag matches this regular expression'),
      flag('--state <state>', 'the state of the listed members (default: here)', STATES),
      flag('--order <order>', 'by id, or in the order of joining: with --joins reliable the same at all members (default: id)', ORDERS),
    ],
    line: ({ location, tag, state, order }: MemberFilter & { readonly order?: string }) => ({
      command: 'members',
      location,
      tag,
      state,
      order,
    }),
    text: async ({ nodes }, now) => {
      const isRanked = nodes.some(({ rank }) => rank !== undefined)
      return await tableOf([
        ['ID', ...(isRanked ? ['RANK'] : []), 'STATE', 'FOR', 'LOCATION', 'TAG', 'REACH', 'ADDRESS'],
        ...nodes.map(({ id, rank = '', state, since, location, tag, reach, addresses }) => [
          id,
          ...(isRanked ? [String(rank)] : []),
          state,
          durationText(now - since),
          oneLine(location),
          tagText(tag),
          reach,
          oneLine(addresses[0] ?? ''),
        ]),
      ])
    },
  },
})

export const links = command({
  about: 'roundTrip is the duration of the last probe, ms, if this node probes the member',
  fields: {},
  answer: 'links',
  run: async (_, { agent }) => ({
    links: (await agent.pool.links()).map(({ id, roundTrip }) => ({ id, ...(roundTrip !== undefined && { roundTrip }) })),
  }),
})

export const maybeDead = command({
  fields: { node: text },
  run: ({ node }, { agent }) => agent.pool.maybeDead(node),
  shell: {
    name: 'maybe-dead',
    about: 'ask for a probe of a member that may be dead; a member that answers lives on',
    operands: [flag('<id>', 'the id of the member')],
    line: ({ id }: { readonly id: string }) => ({ command: 'maybeDead', node: id }),
  },
})
