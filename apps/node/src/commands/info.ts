/** The command about the attributes of members. */
import type { Monitor, Reading, ReadOptions } from '@jel/monitor'
import type { Member } from '@jel/jel'
import * as v from 'valibot'
import { durationOf, percentOf } from '../arguments.ts'
import { inTurns } from '../base/in-turns.ts'
import { bool, number, oneOf, texts } from '../base/schema.ts'
import { tableOf } from '../base/table.ts'
import { shortId } from '../events/quantity.ts'
import { oneLine } from '../base/text.ts'
import { messageOf } from '../base/usage-error.ts'
import { valueText } from '../events/event-text.ts'
import type { AttributesJson } from '../events/events.ts'
import { command } from './command.ts'
import { memberAt } from './member-at.ts'
import { flag, JSON_LINES } from './flags.ts'

const RESPONSES = ['cached', 'immediate', 'last'] as const
/** Maximum number of members that are asked at once. A guess: each takes a stream. */
const AT_ONCE = 64
/**
 * An operand is the end of an id from this length on. A guess: shorter ends name several members.
 */
const SHORTEST_END = 4

interface InfoGiven extends Omit<ReadOptions, 'cancel'> {
  readonly names: readonly string[]
  readonly schema?: boolean
}

export const info = command({
  about:
    'attributes of members, measured now; nodes: ids or ends of ids (default: all members); names: names of attributes (default: all); response, quality (%) and timeout (ms) say how old a value may be and how long to wait',
  fields: {
    nodes: v.optional(texts),
    names: v.optional(texts),
    response: v.optional(oneOf(...RESPONSES)),
    quality: v.optional(number),
    timeout: v.optional(number),
    schema: v.optional(bool),
  },
  answer: 'info',
  async run({ nodes, names, schema = false, ...options }, { agent, signal }) {
    const all = agent.pool.members()
    const asked = nodes?.map((end) => memberAt(all, end)) ?? all
    const monitor = agent.monitor
    return { members: await inTurns(asked, AT_ONCE, async (member) => await ask(monitor, member, { names, schema, signal, ...options })) }
  },
  shell: {
    // Whichever node asks, the same members answer.
    asksAny: () => true,
    about: 'show attributes of members, such as processors, load, memory and disk, measured now',
    operands: [flag('[names...]', 'members, by the ends of their ids, and names of attributes (default: all members, all attributes)')],
    flags: [
      flag(
        '--response <which>',
        'the last value if it is young enough, a new one, or the last one whatever its age (default: cached)',
        RESPONSES,
      ),
      flag('--quality <percent>', 'measure again if the value has less than this quality', percentOf),
      flag('--timeout <seconds>', 'the longest wait for a measurement (default: 5)', durationOf),
      flag('--schema', 'show the units of the attributes and how long a value counts, and no values'),
      JSON_LINES,
    ],
    /** An operand with the form of an id, or of its end, is a member: a name has dots. */
    line: ({ names, schema, response, quality, timeout }: InfoGiven) => ({
      command: 'info',
      nodes: listOf(names.filter(isIdLike)),
      names: listOf(names.filter((name) => !isIdLike(name))),
      response,
      quality,
      timeout,
      schema,
    }),
    text: async ({ members }) =>
      await tableOf([['MEMBER', 'LOCATION', 'ATTRIBUTE', 'VALUE', 'UNIT', 'AGE', 'NOTE'], ...members.flatMap((member) => rowsOf(member))]),
    status: ({ members }) => (members.some(isIncomplete) ? 1 : 0),
  },
})

/** The name of an attribute may lack dots, too. Ids have capital letters. */
function isIdLike(text: string): boolean {
  return text.length >= SHORTEST_END && /^…?[1-9A-HJ-NP-Za-km-z]+$/u.test(text) && /[A-Z]/u.test(text)
}

function listOf(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names
}

interface Asked extends ReadOptions {
  readonly names: readonly string[] | undefined
  readonly schema: boolean
  readonly signal: AbortSignal
}

/** A member that does not answer is part of the answer. */
async function ask(monitor: Monitor, { id, location }: Member, { names, schema, ...options }: Asked): Promise<AttributesJson> {
  const stated = Object.entries(monitor.constantsOf(id)).filter(([name]) => names?.includes(name) !== false)
  const constants = Object.fromEntries(stated)
  const member = { node: id, location, ...(Object.keys(constants).length > 0 && { constants }) }
  try {
    const wanted = names?.filter((name) => !Object.hasOwn(constants, name))
    if (!schema) return { ...member, readings: wanted?.length === 0 ? [] : await monitor.read(id, wanted, options) }
    const schemas = await monitor.schema(id, options)
    return { ...member, schema: names === undefined ? schemas : schemas.filter(({ name }) => names.includes(name)) }
  } catch (error) {
    options.signal.throwIfAborted()
    return { ...member, reason: messageOf(error) }
  }
}

function isIncomplete({ reason, readings = [] }: AttributesJson): boolean {
  return reason !== undefined || readings.some(({ problem }) => problem !== undefined)
}

function rowsOf({ node, location, constants = {}, readings = [], schema = [], reason }: AttributesJson): string[][] {
  const member = [shortId(node), oneLine(location)]
  if (reason !== undefined) return [[...member, '', '', '', '', oneLine(reason)]]
  return [
    ...Object.entries(constants).map(([name, value]) => [...member, name, valueText(value), '', '', 'stated']),
    ...schema.map(({ name, unit, ttl, about }) => [...member, name, '', unit, `${ttl} ms`, oneLine(about)]),
    ...readings.map((reading) => [...member, oneLine(reading.name), ...cellsOf(reading)]),
  ]
}

function cellsOf(reading: Reading): string[] {
  if (reading.problem !== undefined) return ['', '', '', oneLine(reading.problem.message)]
  return [valueText(reading.value), oneLine(reading.unit), `${Math.round(reading.age)} ms`, '']
}
