import type { JobCommand } from '../agent/commands.ts'
import type { JobEvent } from '../agent/job-events.ts'
import { jsonLine } from '../agent/json-line.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { UsageError } from '../base/usage-error.ts'
import { jobWords, percent } from './job-words.ts'
import { send, type SendFlags } from './send.ts'
import { tellerOf } from './teller.ts'
import { whyOf } from './why.ts'

export interface JobFlags extends SendFlags {
  readonly follow?: boolean
  readonly result?: boolean
  readonly cancel?: boolean
  readonly forget?: boolean
  readonly suspend?: boolean
  readonly resume?: boolean
  readonly why?: boolean
}

type JobState = JobEvent & { readonly event: 'job' }

/** Lists the jobs of a pool. */
export async function jobs(pool: string, flags: SendFlags): Promise<number> {
  const events: JobState[] = []
  const status = await send(pool, flags, {
    command: { command: 'jobs' },
    tell: (event) => void (event.event === 'job' && events.push(event)),
    async ready(visitor) {
      if (!(await visitor.meet())) {
        // Without an address there may be no others. With one there are others, but their jobs are
        // unknown.
        if (flags.bootstrap.length > 0) throw new Error(visitor.aloneWords)
        process.stderr.write(`jel: ${visitor.aloneWords}\n`)
      }
      await visitor.hear(() => false)
    },
  })
  if (status !== undefined) return status
  const heads = ['job', 'name', 'state', 'done', 'members', 'submitted']
  const lines = flags.json === true ? events.map((event) => jsonLine(event, pool)) : tableOf([heads, ...events.map(rowOf)])
  for (const line of lines) process.stdout.write(`${line}\n`)
  return 0
}

/** Shows one job, by its id or name, or does what the flags ask for. */
export async function job(pool: string, idOrName: string, flags: JobFlags): Promise<number> {
  const command = commandOf(idOrName, flags)
  const stopped = new AbortController()
  const teller = tellerOf(flags.json === true, pool, stopped.signal)
  let ended: JobEvent | undefined
  try {
    const status = await send(pool, flags, {
      command,
      tell(event) {
        ended = event
        if (command.do === 'cancel' && event.event === 'job')
          process.stderr.write(`jel: the job has ended before: it is ${event.state}, and its result stays\n`)
        if (event.event !== 'job' || flags.json === true) teller.tell(event)
        else process.stdout.write(`${event.waits === undefined ? jobWords(event, Date.now()).join('\n') : whyOf(event, event.waits)}\n`)
      },
      async ready(visitor) {
        if (!(await visitor.meet())) throw new Error(visitor.aloneWords)
        await visitor.hear(() => visitor.grid.jobs().some(({ id, name }) => id === idOrName || name === idOrName))
      },
      stopped: () => stopped.abort(),
    })
    if (status !== undefined) return status
    const asked = command.do === 'cancel'
    return ended?.event === 'failed' || (ended?.event === 'cancelled' && !asked) ? 1 : 0
  } finally {
    teller.close()
  }
}

function commandOf(
  job: string,
  { follow, result, cancel, suspend, resume, forget, why }: JobFlags,
): JobCommand & { readonly command: 'job' } {
  const deeds = [
    forget === true && 'forget',
    cancel === true && 'cancel',
    suspend === true && 'suspend',
    resume === true && 'resume',
  ] as const
  const [deed, ...others] = deeds.filter((each) => each !== false)
  if (others.length > 0) throw new UsageError(`--${deed} and --${others[0]}: give one of them`)
  if (deed === 'forget' && (follow === true || result === true || why === true))
    throw new UsageError('--forget: there is nothing left to tell of it')
  const until = follow === true ? 'ended' : result === true ? 'result' : undefined
  return { command: 'job', job, ...(deed && { do: deed }), ...(until && { until }), ...(why === true && { waits: true }) }
}

function rowOf({ job: id, name, state, covered, members, submitted }: JobState): string[] {
  return [id, oneLine(name), state, percent(covered), String(members), new Date(submitted).toISOString().slice(0, 19)]
}
