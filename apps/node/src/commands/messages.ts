/** The commands about signals, events and queries. */
import * as v from 'valibot'
import { base64 as toBase64, nodeJson, payloadJson } from '../events/events.ts'
import { durationOf } from '../arguments.ts'
import { base64, number, text, texts } from '../base/schema.ts'
import { readInput } from '../base/standard-input.ts'
import { command } from './command.ts'
import { flag, JSON_LINES } from './flags.ts'

/** The operands of a message, as a person gives them. */
export interface Message {
  readonly name: string
  readonly payload?: string
}

const PAYLOAD_LIMIT = 1_024
export const PAYLOAD = flag('[payload]', 'text, at most 1 KiB; - takes standard input')

/**
 * Returns the fields of a message, as a line of JSON has them. A payload of `-` is standard input.
 */
export async function encoded({ name, payload }: Message): Promise<{ readonly name: string; readonly payload: string | undefined }> {
  if (payload === undefined) return { name, payload }
  const bytes = payload === '-' ? await readInput(PAYLOAD_LIMIT) : Buffer.from(payload)
  return { name, payload: toBase64(bytes) }
}

export function decoded(payload: string | undefined): Uint8Array {
  return Buffer.from(payload ?? '', 'base64')
}

export const signal = command({
  fields: { name: text, nodes: texts },
  run: ({ name, nodes }, { agent, signal }) => agent.pool.signal(name, nodes, { signal }),
  shell: {
    about: 'send a signal to members, and wait until they have it',
    operands: [flag('<name>', 'the name of the signal'), flag('<ids...>', 'the ids of the members')],
    line: ({ name, ids }: { readonly name: string; readonly ids: readonly string[] }) => ({ command: 'signal', name, nodes: ids }),
  },
})

export const event = command({
  fields: { name: text, payload: v.optional(base64) },
  run: ({ name, payload }, { agent }) => agent.pool.broadcast(name, decoded(payload)),
  shell: {
    about: 'tell all members something',
    operands: [flag('<name>', 'the name of the event'), PAYLOAD],
    line: async (message: Message) => ({ command: 'event', ...(await encoded(message)) }),
  },
})

interface QueryGiven extends Message {
  /** The time that members have for an answer, ms. */
  readonly timeout?: number
  readonly location?: string
  readonly tag?: string
}

export const query = command({
  about:
    'ask all members, or those that match nodes, location and tag; timeout is a time in ms; an asked event and the reply events come before done',
  fields: {
    name: text,
    payload: v.optional(base64),
    timeout: v.optional(number),
    nodes: v.optional(texts),
    location: v.optional(text),
    tag: v.optional(text),
  },
  async run({ name, payload, timeout, nodes, location, tag }, { agent, signal, report }) {
    const isFiltered = nodes !== undefined || location !== undefined || tag !== undefined
    const filter = { ...(nodes && { ids: nodes }), ...(location !== undefined && { location }), ...(tag !== undefined && { tag }) }
    const options = { signal, ...(timeout !== undefined && { timeout }), ...(isFiltered && { filter }) }
    const replies = agent.pool.query(name, decoded(payload), options)
    report({ event: 'asked', members: replies.asked })
    for await (const reply of replies) report({ event: 'reply', ...payloadJson(reply.payload), node: nodeJson(reply.from) })
  },
  shell: {
    // Whichever node asks, the same members answer.
    asksAny: () => true,
    about: 'ask all members, and show each answer when it comes',
    operands: [flag('<name>', 'the name of the query'), PAYLOAD],
    flags: [
      flag('--timeout <seconds>', 'the time for answers (default: 5; longer in pools of more than 500 members)', durationOf),
      flag('--location <levels>', 'only members whose location ends with these levels, as in delft@nl'),
      flag('--tag <expression>', 'only members whose tag matches this regular expression'),
      JSON_LINES,
    ],
    line: async ({ timeout, location, tag, ...message }: QueryGiven) => ({
      command: 'query',
      ...(await encoded(message)),
      timeout,
      location,
      tag,
    }),
    silence: ({ name }: Message) => `no member answered: those do whose program answers queries of the name ${JSON.stringify(name)}`,
  },
})

export const answer = command({
  about: 'your program answers queries of this name: each comes as a query event',
  fields: { name: text },
  run: ({ name }, { answers }) => answers.answer(name),
})

export const unanswer = command({
  about: 'your program no longer answers queries of this name',
  fields: { name: text },
  run: ({ name }, { answers }) => answers.unanswer(name),
})

export const reply = command({
  about: 'answers the query of that number; without a payload there is no answer',
  fields: { query: number, payload: v.optional(base64) },
  run: (fields, { answers }) => answers.reply(fields.query, fields.payload),
})
