/** The commands about records. */
import * as v from 'valibot'
import { tagText } from '../events/event-text.ts'
import { recordJson } from '../events/events.ts'
import { durationOf } from '../arguments.ts'
import { base64, number, text } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { command } from './command.ts'
import { ASK_FLAGS, flag } from './flags.ts'
import { encoded } from './messages.ts'
import { durationText } from '../events/quantity.ts'

const NAME = flag('<name>', 'the name of the record')
/** How long a record of the command line lives by default, ms. Guess: a working hour. */
const TTL = 3_600_000

interface PublishGiven {
  readonly name: string
  readonly value: string
  /** ms */
  readonly ttl?: number
}

export const publish = command({
  about: 'publish a record: all members, newcomers too, get an event record until the record expires; ttl is a time in ms',
  fields: { name: text, value: base64, ttl: number },
  run: async ({ name, value, ttl }, { agent }) => void (await agent.pool.publish(name, Buffer.from(value, 'base64'), { ttl })),
  shell: {
    about: 'publish a text under a name, for present members and newcomers; another text replaces it',
    operands: [NAME, flag('<value>', 'the text, at most 1 KiB; - takes standard input')],
    flags: [...ASK_FLAGS, flag('--ttl <seconds>', 'the time after which the record expires (default: 3600)', durationOf)],
    async line({ name, value, ttl = TTL }: PublishGiven) {
      const { payload } = await encoded({ name, payload: value })
      return { command: 'publish', name, value: payload, ttl }
    },
  },
})

export const unpublish = command({
  fields: { name: text },
  run: ({ name }, { agent }) => agent.pool.unpublish(name),
  shell: {
    about: 'withdraw a record of this node',
    operands: [NAME],
    line: ({ name }: { readonly name: string }) => ({ command: 'unpublish', name }),
  },
})

export const records = command({
  about: 'the records whose names begin with the prefix; all records without a prefix',
  fields: { prefix: v.optional(text) },
  answer: 'records',
  run: ({ prefix }, { agent }) => ({ records: agent.pool.records(prefix).map(recordJson) }),
  shell: {
    asksAny: () => true,
    about: 'list the records of all members',
    operands: [flag('[prefix]', 'the beginning of the names')],
    line: ({ prefix }: { readonly prefix?: string }) => ({ command: 'records', prefix }),
    text: async (answer, now) =>
      await tableOf([
        ['NAME', 'OWNER', 'EXPIRES IN', 'VALUE'],
        ...answer.records.map(({ name, owner, expires, value }) => [
          oneLine(name),
          owner,
          durationText(expires - now),
          value === null ? '' : tagText(value),
        ]),
      ]),
  },
})
