/** The command that runs a program at several members at once. */
import type { Outcome } from '@jel/allocate'
import type { ProcessInput } from '@jel/allocate/process'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import * as v from 'valibot'
import { RUN_PROGRAM } from '../agent/run-program.ts'
import { countOfMembers, durationOf } from '../arguments.ts'
import { bool, number, text } from '../base/schema.ts'
import { oneLine } from '../base/text.ts'
import { codeOf, messageOf, UsageError } from '../base/usage-error.ts'
import { eventText } from '../events/event-text.ts'
import type { NodeEvent, RankEndJson } from '../events/events.ts'
import { command } from './command.ts'
import { flag, JSON_LINES } from './flags.ts'
import { shortId } from '../events/quantity.ts'

/** The end of a rank's process. A member may send anything. */
const processEnd = v.object({
  status: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255)),
  value: v.optional(v.unknown()),
  message: v.optional(v.pipe(v.string(), v.maxLength(4096))),
})

interface RunGiven {
  readonly file: string
  readonly count?: number
  readonly atLeast?: number
  readonly grow?: boolean
  readonly where?: string
  readonly rank?: string
  readonly location?: string
  readonly input?: string
  readonly for?: number
  readonly within?: number
}

export const run = command({
  about:
    'run a program at several members at once: source is an ES module, whose default export gets the group and the input; each rank’s output is an event rankOutput; for and timeout are times in ms',
  fields: {
    name: text,
    source: text,
    count: number,
    atLeast: v.optional(number),
    grow: v.optional(bool),
    where: v.optional(text),
    rank: v.optional(text),
    location: v.optional(text),
    input: v.optional(v.unknown()),
    for: v.optional(number),
    timeout: v.optional(number),
  },
  async run({ name, source, input, ...options }, { agent, report, signal }) {
    const content: ProcessInput = { name, source, input }
    const all = { ...options, title: name.slice(0, 64), input: content, signal }
    const started = await agent.allocator.group(RUN_PROGRAM, all).catch((error: unknown) => {
      throw hinted(error)
    })
    const lines = new RankLines((rank, stream, line) => report({ event: 'rankOutput', rank, stream, text: line }))
    started.onOutput(({ rank, stream, text: written }) => lines.take(rank, stream, written))
    const stop = (): void => started.stop()
    signal.addEventListener('abort', stop, { once: true })
    const outcomes = await started.ended
    signal.removeEventListener('abort', stop)
    lines.end()
    report({ event: 'ran', ranks: outcomes.map((outcome, rank) => endOf(started.members[rank] as string, outcome)) })
  },
  shell: {
    shows: true,
    asksAny: () => true,
    about: 'run a program at several members at once, all of which take part (jel join --runs); the status is that of the worst rank',
    operands: [flag('<file>', 'an ES module in JavaScript or TypeScript, without imports of other files')],
    flags: [
      flag('--count <ranks>', 'the number of ranks (default: 1)', countOfMembers),
      flag('--at-least <ranks>', 'this number of ranks is enough if no more members can take one', countOfMembers),
      flag('--grow', 'start with the members that are free now; others join later, if the program lets them'),
      flag('--where <condition>', 'only members that meet a condition, as in "system.memory.limit >= 8e9"'),
      flag('--rank <expression>', 'prefer members with greater numbers, as in -system.cpu.load_average.1m'),
      flag('--location <levels>', 'only members whose location ends with these levels, as in delft@nl'),
      flag('--input <json>', 'the input that the program gets besides the group'),
      flag('--for <seconds>', 'end the program after this time (default: a day)', durationOf),
      flag('--within <seconds>', 'the longest wait for members that are busy with other programs (default: 10)', durationOf),
      JSON_LINES,
    ],
    async line({ file, count = 1, input, within, ...given }: RunGiven) {
      const { atLeast, grow, where, rank, location } = given
      if (atLeast !== undefined && atLeast > count) throw new UsageError(`--at-least ${atLeast} is more than --count ${count}`)
      const source = await readFile(file, 'utf8')
      return {
        command: 'run',
        name: basename(file),
        source,
        count,
        atLeast,
        grow,
        where,
        rank,
        location,
        input: jsonOf(input),
        for: given.for,
        timeout: within,
      }
    },
    text: (event: NodeEvent) => (event.event === 'ran' ? event.ranks.flatMap(endText) : [eventText(event)]),
    status: (event: NodeEvent) => (event.event === 'ran' ? Math.max(...event.ranks.map(({ status }) => status)) : 1),
  },
})

/**
 * In the message of a refusal, replaces the name of the program by the flag that lets a member run
 * programs.
 */
function hinted(error: unknown): unknown {
  const message = messageOf(error)
  const refusal = `takes no ranks of ${RUN_PROGRAM} from this member`
  const told = message.replace(refusal, 'does not run programs of this member: jel join --runs lets it')
  return told === message ? error : Object.assign(new Error(told, { cause: error }), { code: codeOf(error) })
}

function endText({ member, status, value, message }: RankEndJson, rank: number): string[] {
  const returned = value === undefined || value === null ? [] : [`[${rank}] returned ${oneLine(JSON.stringify(value))}`]
  const why = message === undefined ? '' : `: ${oneLine(message)}`
  return status === 0 ? returned : [...returned, `[${rank}] at ${shortId(member)} ended with status ${status}${why}`]
}

/** Returns the end of a rank: the one that its process sent, or a failure. */
function endOf(member: string, outcome: Outcome): RankEndJson {
  if ('error' in outcome) return { member, status: 1, message: outcome.error }
  const { success, output } = v.safeParse(processEnd, outcome.value)
  if (!success) return { member, status: 1, message: 'it sent no valid end' }
  const { status, value, message } = output
  return { member, status, ...(value !== undefined && { value }), ...(message !== undefined && { message }) }
}

function jsonOf(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    throw new UsageError(`--input: ${JSON.stringify(json)} is not JSON`)
  }
}

/** Cuts the output of ranks into lines. */
class RankLines {
  readonly #report: (rank: number, stream: 'stdout' | 'stderr', line: string) => void
  readonly #rest = new Map<string, { readonly rank: number; readonly stream: 'stdout' | 'stderr'; text: string }>()

  constructor(report: (rank: number, stream: 'stdout' | 'stderr', line: string) => void) {
    this.#report = report
  }

  take(rank: number, stream: 'stdout' | 'stderr', text: string): void {
    const key = `${rank} ${stream}`
    const lines = `${this.#rest.get(key)?.text ?? ''}${text}`.split('\n')
    this.#rest.set(key, { rank, stream, text: (lines.pop() as string).slice(-65_536) })
    for (const line of lines) this.#report(rank, stream, line)
  }

  /** Reports the rest of each output that has no line end. */
  end(): void {
    for (const { rank, stream, text } of this.#rest.values()) if (text !== '') this.#report(rank, stream, text)
  }
}
