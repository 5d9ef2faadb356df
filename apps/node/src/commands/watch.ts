/** The command that watches attributes of members. */
import * as v from 'valibot'
import { durationOf, shareOf } from '../arguments.ts'
import { number, oneOf, text, texts } from '../base/schema.ts'
import { watchEvent } from '../events/events.ts'
import { command } from './command.ts'
import { flag, JSON_LINES, repeated } from './flags.ts'

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
    'watch attributes of members until the command is cancelled: a sample event for each sample, an unsampled event where some are missing; nodes, location and where choose the members; every and over are times in ms',
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
    for await (const event of agent.monitor.watch({ attributes: names, from: { ids: nodes, location, where }, ...spec, signal }))
      report(watchEvent(event))
  },
  shell: {
    // Whichever node asks, the same members answer.
    asksAny: () => true,
    follows: true,
    about: 'watch attributes of members, newcomers too, until SIGINT: each sample, or only what a condition or a change selects',
    operands: [flag('<names...>', 'the names of the attributes, as jel info shows them')],
    flags: [
      repeated('--member <id>', 'only this member; may be repeated (default: all)'),
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
