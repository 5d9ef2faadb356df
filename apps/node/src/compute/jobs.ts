import type { Job } from '@jel/compute'
import stringWidth from 'string-width'
import { oneLine } from '../text.ts'
import { outcomeOf, toJson, type JobEvent } from './job-events.ts'
import { jobWords, percent } from './job-words.ts'
import { Visitor, type MemberFlags } from './member.ts'
import { tellerOf } from './teller.ts'
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
  await using visitor = await Visitor.enter(pool, flags)
  if (!(await visitor.meet()))
    process.stderr.write(
      `jel: nobody else of the pool ${pool} was found; on loopback give --bootstrap with an address that jel work prints\n`,
    )
  await visitor.hear(() => false)
  const events = await Promise.all(visitor.grid.jobs().map(describe))
  if (flags.json === true) {
    for (const { event, ...rest } of events) process.stdout.write(`${toJson({ event, time: Date.now(), pool, ...rest })}\n`)
    return 0
  }
  const rows = [['job', 'name', 'state', 'done', 'members', 'submitted'], ...events.map(rowOf)]
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] as string))))
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell + ' '.repeat((widths[column] as number) - stringWidth(cell)))
        .join('  ')
        .trimEnd()}\n`,
    )
  return 0
}

/** One job, by its id or name: its state, or what the flags ask for. */
export async function job(pool: string, idOrName: string, flags: JobFlags): Promise<number> {
  await using visitor = await Visitor.enter(pool, flags)
  await visitor.meet()
  await visitor.hear(() => visitor.grid.jobs().some(({ id, name }) => id === idOrName || name === idOrName))
  const found = visitor.grid.job(idOrName)
  const teller = tellerOf(flags.json === true, pool)
  try {
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
    else if (tasks !== undefined) process.stdout.write(`${whyOf(event, tasks)}\n`)
    else process.stdout.write(`${jobWords(event, Date.now()).join('\n')}\n`)
    return 0
  } finally {
    teller.close()
  }
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

function rowOf({ job: id, name, state, covered, members, submitted }: JobEvent & { event: 'job' }): string[] {
  return [id, oneLine(name), state, percent(covered), String(members), new Date(submitted).toISOString().slice(0, 19)]
}
