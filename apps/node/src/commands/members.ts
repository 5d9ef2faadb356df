/** The commands about members. */
import * as v from 'valibot'
import { tagText } from '../events/event-text.ts'
import { listMembers, type MemberFilter } from '../agent/member-list.ts'
import { oneOf, text } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine, span } from '../base/text.ts'
import { CommandError } from '../base/usage-error.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'

const STATES = ['here', 'left', 'died', 'all'] as const

export const members = command({
  about: 'tag is a regular expression; the default state is here',
  fields: { location: v.optional(text), tag: v.optional(text), state: v.optional(oneOf(...STATES)) },
  answer: 'members',
  run(filter, { agent }) {
    try {
      return { nodes: listMembers(agent.pool.members(), agent.model, filter) }
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
    ],
    line: ({ location, tag, state }: MemberFilter) => ({ command: 'members', location, tag, state }),
    text: async ({ nodes }, now) =>
      await tableOf([
        ['ID', 'STATE', 'FOR', 'LOCATION', 'TAG', 'REACH', 'ADDRESS'],
        ...nodes.map(({ id, state, since, location, tag, reach, addresses }) => [
          id,
          state,
          span(now - since),
          oneLine(location),
          tagText(tag),
          reach,
          oneLine(addresses[0] ?? ''),
        ]),
      ]),
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
