/** The command that watches attributes of members. */
import { isWithin, type Member } from '@jel/jel'
import { Expression, nearest, type Monitor, type WatchFrom } from '@jel/monitor'
import * as v from 'valibot'
import { durationOf, shareOf } from '../arguments.ts'
import { number, oneOf, text, texts } from '../base/schema.ts'
import { WHOLE_ID } from '../base/whole-id.ts'
import { watchEvent } from '../events/events.ts'
import { command } from './command.ts'
import { flag, JSON_LINES, repeated } from './flags.ts'
import { memberAt } from './member-at.ts'

const REDUCERS = ['mean', 'min', 'max', 'sum', 'count', 'p50', 'p90', 'p99'] as const

interface WatchGiven {
  readonly names: readonly string[]
  readonly member: readonly string[]
  readonly location?: string
  readonly where?: string
  readonly every?: number
  readonly when?: string
  readonly change?: number
  readonly over?: number
  readonly reduce?: (typeof REDUCERS)[number]
  readonly bySite?: boolean
}

export const watch = command({
  about:
    'watch attributes of members until the command is cancelled: a sample event for each sample, an unsampled event where samples are missing, a notice event about a name that no member has; nodes, location and where choose the members; every and over are times in ms',
  fields: {
    names: texts,
    nodes: v.optional(texts),
    location: v.optional(text),
    where: v.optional(text),
    every: v.optional(number),
    when: v.optional(text),
    change: v.optional(number),
    over: v.optional(number),
    reduce: v.optional(oneOf(...REDUCERS)),
    by: v.optional(oneOf('site')),
  },
  async run({ names, nodes, location, where, ...spec }, { agent, signal, report }) {
    const members = agent.pool.members()
    // A whole id may be that of a member that comes later.
    const ids = nodes?.map((end) => (WHOLE_ID.test(end) ? end : memberAt(members, end).id))
    const watched = agent.monitor.watch({ attributes: names, from: { ids, location, where }, ...spec, signal })
    const tell = (message: string): void => report({ event: 'notice', code: 'NO_ATTRIBUTE', message })
    const chosen = chosenOf(members, agent.monitor, { ids, location, where })
    if (chosen.length === 0) report({ event: 'notice', code: 'NO_MEMBER', message: nobodyText(members, agent.monitor, where) })
    else void adviseOn(names, chosen, agent.monitor, signal, tell)
    for await (const event of watched) report(watchEvent(event))
  },
  shell: {
    // Whichever node asks, the same members answer.
    asksAny: () => true,
    follows: true,
    about: 'watch attributes of members, newcomers too, until SIGINT: each sample, or only what a condition or a change selects',
    operands: [flag('<names...>', 'the names of the attributes, as jel info shows them')],
    flags: [
      repeated('--member <id>', 'only this member, by the end of its id; may be repeated (default: all)'),
      flag('--location <levels>', 'only members whose location ends with these levels, as in delft@nl'),
      flag('--where <condition>', 'only members whose stated constants meet a condition, as in "cpus >= 8"'),
      flag('--every <seconds>', 'the time between two samples, at least 0.1 (default: 1)', durationOf),
      flag(
        '--when <condition>',
        'only when a condition over the attributes begins or ceases to hold, as in "system.filesystem.utilization > 0.9"',
      ),
      flag('--change <share>', 'only when the value has changed by more than this share, as in 20%', shareOf),
      flag('--over <seconds>', 'the mean of the samples of this time, in place of each sample', durationOf),
      flag('--reduce <how>', 'another number than the mean, with --over or --by-site', REDUCERS),
      flag('--by-site', 'one sample for each site, the coarsest level of a location, in place of one for each member'),
      JSON_LINES,
    ],
    line: ({ names, member, ...given }: WatchGiven) => ({
      command: 'watch',
      names,
      nodes: member.length === 0 ? undefined : member,
      location: given.location,
      where: given.where,
      every: given.every,
      when: given.when,
      change: given.change,
      over: given.over,
      reduce: given.reduce,
      by: given.bySite === true ? 'site' : undefined,
    }),
  },
})

type Constants = Pick<Monitor, 'constantsOf'>

/** Returns the ids of the present members that a watch chooses. */
function chosenOf(members: readonly Member[], monitor: Constants, { ids, location = '', where }: WatchFrom): string[] {
  const condition = where === undefined ? undefined : Expression.parse(where)
  const isChosen = (member: Member): boolean => {
    const { id, location: at } = member
    if (ids?.includes(id) === false || (location !== '' && !isWithin(member, location))) return false
    const values = new Map(Object.entries({ location: at, ...monitor.constantsOf(id) }))
    return condition === undefined || condition.evaluate((name) => values.get(name)) === true
  }
  return members.filter(isChosen).map(({ id }) => id)
}

/**
 * Says that the watch waits. If no member meets a condition, the usual cause is that the condition
 * names attributes. A condition can use only constants and the location.
 */
function nobodyText(members: readonly Member[], monitor: Constants, where: string | undefined): string {
  const waiting = 'no member is chosen yet; the watch waits for one'
  if (where === undefined) return waiting
  const constants = new Set(members.flatMap(({ id }) => Object.keys(monitor.constantsOf(id))))
  const unknown = Expression.parse(where).names.filter((name) => !constants.has(name) && name !== 'location')
  if (unknown.length === 0) return waiting
  return `${waiting}: --where knows constants only, and no member states ${unknown.join(', ')}`
}

/**
 * Maximum number of members that are asked for names of attributes. A guess: the others have the
 * same.
 */
const MOST_ASKED = 64

/**
 * For each name that no asked member has, suggests the most similar known name. The watch goes on:
 * a newcomer may have the attribute.
 */
async function adviseOn(
  names: readonly string[],
  members: readonly string[],
  monitor: Pick<Monitor, 'schema' | 'constantsOf'>,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<void> {
  const asked = members.slice(0, MOST_ASKED)
  const schemas = await Promise.all(asked.map(async (member) => await monitor.schema(member, { signal }).catch(() => [])))
  if (signal.aborted) return
  const known = [...new Set(schemas.flat().map(({ name }) => name))]
  const constants = new Set(members.flatMap((member) => Object.keys(monitor.constantsOf(member))))
  for (const message of adviceOf(names, known, constants)) tell(message)
}

/** Returns a line for each name that is not known. */
export function adviceOf(names: readonly string[], known: readonly string[], constants: ReadonlySet<string>): string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      if (constants.has(name)) return `${name} is a constant, which does not change: jel info shows it`
      const like = nearest(name, known)
      return `no member has the attribute ${JSON.stringify(name)} yet${like === undefined ? '' : `; did you mean ${like}?`}`
    })
}
