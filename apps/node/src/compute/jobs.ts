import { jsonLine } from '../events/events.ts'
import type { JobCommand, JobEvent } from '../events/job-messages.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { UsageError } from '../base/usage-error.ts'
import type { JobClientFlags } from './job-client.ts'
import { sendJobCommand } from './job-request.ts'
import { jobReporterOf } from './job-reporter.ts'
import { explanationOf, jobText } from './job-text.ts'
import { shareText } from '../events/quantity.ts'

export interface JobFlags extends JobClientFlags {
  readonly follow?: boolean
  readonly result?: boolean
  readonly cancel?: boolean
  readonly forget?: boolean
  readonly suspend?: boolean
  readonly resume?: boolean
  readonly why?: boolean
  readonly logs?: boolean
}

type JobState = JobEvent & { readonly event: 'job' }

/** Lists the jobs of a pool. */
export async function jobs(pool: string, flags: JobClientFlags): Promise<number> {
  const events: JobState[] = []
  const status = await sendJobCommand(pool, flags, {
    command: { command: 'jobs' },
    report: (event) => void (event.event === 'job' && events.push(event)),
    async ready(client) {
      if (!(await client.meet())) {
        // Without a bootstrap address there may be no other members. With an address there are
        // others, but their jobs are unknown.
        if (flags.bootstrap.length > 0) throw new Error(client.aloneMessage)
        process.stderr.write(`jel: ${client.aloneMessage}\n`)
      }
      await client.hear(() => false)
    },
  })
  if (status !== undefined) return status
  const heads = ['job', 'name', 'state', 'done', 'members', 'submitted']
  const lines = flags.json === true ? events.map((event) => jsonLine(event, pool)) : await tableOf([heads, ...events.map(rowOf)])
  for (const line of lines) process.stdout.write(`${line}\n`)
  return 0
}

/** Shows a job, or changes it as the flags say. The job is given by its id or name. */
export async function job(pool: string, idOrName: string, flags: JobFlags): Promise<number> {
  const command = commandOf(idOrName, flags)
  const stopped = new AbortController()
  const reporter = jobReporterOf(flags.json === true, pool, stopped.signal)
  let ended: JobEvent | undefined
  try {
    const status = await sendJobCommand(pool, flags, {
      command,
      report(event) {
        ended = event
        if (command.do === 'cancel' && event.event === 'job')
          process.stderr.write(`jel: the job has ended before: it is ${event.state}, and its result stays\n`)
        if (event.event !== 'job' || flags.json === true) reporter.report(event)
        else
          process.stdout.write(
            `${event.waits === undefined ? jobText(event, Date.now()).join('\n') : explanationOf(event, event.waits, event.running)}\n`,
          )
      },
      async ready(client) {
        if (!(await client.meet())) throw new Error(client.aloneMessage)
        // A job of another owner does not end the wait: the own job of that name may come later.
        const { grid } = client
        await client.hear(() => grid.jobs().some(({ id, name, owner }) => id === idOrName || (name === idOrName && owner === grid.owner)))
      },
      stopped: () => stopped.abort(),
    })
    if (status !== undefined) return status
    const asked = command.do === 'cancel'
    return ended?.event === 'failed' || (ended?.event === 'cancelled' && !asked) ? 1 : 0
  } finally {
    reporter.close()
  }
}

function commandOf(
  job: string,
  { follow, result, cancel, suspend, resume, forget, why, logs }: JobFlags,
): JobCommand & { readonly command: 'job' } {
  const changes = [
    forget === true && 'forget',
    cancel === true && 'cancel',
    suspend === true && 'suspend',
    resume === true && 'resume',
  ] as const
  const [change, ...others] = changes.filter((each) => each !== false)
  if (others.length > 0) throw new UsageError(`--${change} and --${others[0]}: give one of them`)
  if (change === 'forget' && (follow === true || result === true || why === true))
    throw new UsageError('--forget: there is nothing left to tell of it')
  if (logs === true && (change !== undefined || result === true || why === true))
    throw new UsageError('--logs: it goes with --follow, and with no other of these')
  if (follow === true && (result === true || why === true))
    throw new UsageError(`--follow and --${result === true ? 'result' : 'why'}: give one of them`)
  const until = follow === true ? 'ended' : result === true ? 'result' : undefined
  return {
    command: 'job',
    job,
    ...(change && { do: change }),
    ...(until && { until }),
    ...(why === true && { waits: true }),
    ...(logs === true && { logs }),
  }
}

function rowOf({ job: id, name, state, covered, members, submitted }: JobState): string[] {
  return [id, oneLine(name), state, shareText(covered), String(members), new Date(submitted).toISOString().slice(0, 19)]
}
