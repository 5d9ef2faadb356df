import type { Job } from '@jel/compute'
import stringWidth from 'string-width'
import { oneLine } from '../text.ts'
import { jsonLine, outcomeOf, type JobEvent } from './job-events.ts'
import { jobWords, percent } from './job-words.ts'
import { visit, type MemberFlags } from './member.ts'
import { tellerOf, type Teller } from './teller.ts'
import { whyOf } from './why.ts'

export interface JobFlags extends MemberFlags {
  readonly follow?: boolean
  readonly result?: boolean
  readonly cancel?: boolean
  readonly suspend?: boolean
  readonly resume?: boolean
  readonly why?: boolean
}

/** How long a replica may take to say how a job goes, ms. */
const ASK = 700

/** Lists the jobs of a pool. */
export async function jobs(pool: string, flags: MemberFlags): Promise<number> {
  return await visit(pool, flags, async (visitor) => {
    if (!(await visitor.meet())) {
      // Without an address there may be no others. With one there are, and their jobs are not known.
      if (flags.bootstrap.length > 0) throw new Error(visitor.aloneWords)
      process.stderr.write(`jel: ${visitor.aloneWords}\n`)
    }
    await visitor.hear(() => false)
    const events = await Promise.all(visitor.grid.jobs().map(describe))
    const lines = flags.json === true ? events.map((event) => jsonLine(event, pool)) : tableOf(events)
    for (const line of lines) process.stdout.write(`${line}\n`)
    return 0
  })
}

/** One job, by its id or name: its state, or what the flags ask for. */
export async function job(pool: string, idOrName: string, flags: JobFlags): Promise<number> {
  return await visit(pool, flags, async (visitor, stopped) => {
    if (!(await visitor.meet())) throw new Error(visitor.aloneWords)
    await visitor.hear(() => visitor.grid.jobs().some(({ id, name }) => id === idOrName || name === idOrName))
    const found = visitor.grid.job(idOrName)
    const teller = tellerOf(flags.json === true, pool, stopped)
    try {
      return await ask(found, flags, teller)
    } finally {
      teller.close()
    }
  })
}

async function ask(found: Job, flags: JobFlags, teller: Teller): Promise<number> {
  if (flags.cancel === true) {
    await found.cancel()
    teller.tell({ event: 'cancelled', job: found.id })
    return 0
  }
  if (flags.suspend === true) await found.suspend()
  if (flags.resume === true) await found.resume()
  if (flags.follow === true) for await (const progress of found.progress()) teller.tell({ event: 'progress', job: found.id, ...progress })
  if (flags.follow === true || flags.result === true) {
    const outcome = await outcomeOf(found)
    teller.tell(outcome)
    return outcome.event === 'done' ? 0 : 1
  }
  const event = await describe(found)
  const tasks = flags.why === true ? await found.waits() : undefined
  if (flags.json === true) teller.tell({ ...event, ...(tasks && { waits: tasks }) })
  else process.stdout.write(`${tasks === undefined ? jobWords(event, Date.now()).join('\n') : whyOf(event, tasks)}\n`)
  return 0
}

async function describe(found: Job): Promise<JobEvent & { event: 'job' }> {
  const { id, name, owner, submitted, expires } = found
  for await (const progress of found.progress(ASK)) {
    return {
      event: 'job',
      job: id,
      name,
      owner,
      submitted: submitted.getTime(),
      expires: expires.getTime(),
      replicas: found.replicas,
      ...progress,
    }
  }
  throw new Error('a job without a state')
}

function tableOf(events: readonly (JobEvent & { event: 'job' })[]): string[] {
  const rows = [['job', 'name', 'state', 'done', 'members', 'submitted'], ...events.map(rowOf)]
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] as string))))
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] as number) - stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  )
}

function rowOf({ job: id, name, state, covered, members, submitted }: JobEvent & { event: 'job' }): string[] {
  return [id, oneLine(name), state, percent(covered), String(members), new Date(submitted).toISOString().slice(0, 19)]
}
