/** The commands about records. */
import * as v from 'valibot'
import { recordJson } from '../agent/events.ts'
import { base64, number, text } from '../base/schema.ts'
import { command } from './command.ts'

export const publish = command({
  about: 'publish a record: all members, newcomers too, get an event record until the record expires; ttl is a time in ms',
  fields: { name: text, value: base64, ttl: number },
  run: async ({ name, value, ttl }, { agent }) => void (await agent.pool.publish(name, Buffer.from(value, 'base64'), { ttl })),
})

export const unpublish = command({
  fields: { name: text },
  run: ({ name }, { agent }) => agent.pool.unpublish(name),
})

export const records = command({
  about: 'the records whose names begin with the prefix; all records without a prefix',
  fields: { prefix: v.optional(text) },
  answer: 'records',
  run: ({ prefix }, { agent }) => ({ records: agent.pool.records(prefix).map(recordJson) }),
})
