import { compute, type Grid, type Job } from '@jel/compute'
import type { Pool } from '@jel/jel'
import { raceSignal } from 'race-signal'
import type { JobCommand, JobEvent } from '../events/job-messages.ts'
import { codeOf } from '../base/usage-error.ts'
import { follow, outcomeOf, reportOutput, reportWaits, type Report } from './job-reports.ts'
import { submit } from './job-submission.ts'
import { overviewOf } from './overview.ts'
import { ownerOf } from './owner.ts'

/**
 * `ASK` is the time that a replica has to report a job's progress, ms. `ASKED` is the number of
 * attempts: a replica does not answer a member that it does not know yet.
 */
const [ASK, ASKED] = [700, 3]
/** Opens the grid of a member that computes nothing itself. */
export async function openGrid(pool: Pool): Promise<Grid> {
  return await compute(pool, { owner: await ownerOf(undefined) })
}

/**
 * Carries out a command about jobs, at a running node or at a member that lives only as long as the
 * command.
 */
export async function runJobCommand(grid: Grid, command: JobCommand, report: Report, signal: AbortSignal): Promise<void> {
  switch (command.command) {
    case 'jobs':
      if (command.work === true) {
        report(await overviewOf(grid))
        return
      }
      for (const event of await Promise.all(grid.jobs().map(stateIfKnown))) if (event !== undefined) report(event)
      return
    case 'job':
      await oneJob(found(grid, command.job, report), command, report, signal)
      return
    case 'submit':
    case 'map':
      await submit(grid, command, report, signal)
  }
}

/**
 * Finds a job by its id or name. If the name finds another owner's job, reports that owner. Other
 * members may withhold the record of the user's own job, and offer another result under the same
 * name.
 */
function found(grid: Grid, idOrName: string, report: Report): Job {
  const job = grid.job(idOrName)
  const { id, owner } = job
  if (id !== idOrName && owner !== grid.owner) report({ event: 'not-own', job: id, owner })
  return job
}

async function oneJob(job: Job, command: JobCommand & { readonly command: 'job' }, report: Report, signal: AbortSignal): Promise<void> {
  switch (command.do) {
    case 'cancel':
      await job.cancel()
      // A job that is over can't be cancelled. Its outcome stays.
      if (!isOver(await stateOf(job))) {
        report({ event: 'cancelled', job: job.id })
        return
      }
      break
    case 'forget':
      await job.forget()
      report({ event: 'forgotten', job: job.id })
      return
    case 'suspend':
      await job.suspend()
      break
    case 'resume':
      await job.resume()
      break
    case undefined:
  }
  if (command.logs === true) await reportOutput(job, command.until === 'ended', report, signal)
  else if (command.until === 'ended') await follow(job, report, signal)
  else if (command.until === 'result') {
    const ended = new AbortController()
    void reportWaits(job, report, AbortSignal.any([signal, ended.signal])).catch(() => {})
    report(await raceSignal(outcomeOf(job), signal).finally(() => ended.abort()))
  } else report({ ...(await stateOf(job)), ...(command.waits === true && (await explained(job))) })
}

async function stateOf(job: Job): Promise<JobEvent & { event: 'job' }> {
  const { id, name, owner, submitted: at, expires, replicas } = job
  let asked = 0
  for await (const progress of job.progress(ASK)) {
    if (progress.state === 'pending' && ++asked < ASKED) continue
    return { event: 'job', job: id, name, owner, submitted: at.getTime(), expires: expires.getTime(), replicas, ...progress }
  }
  throw new Error('a job without a state')
}

/** Like `stateOf`. Undefined if the job has expired meanwhile, or its owner has withdrawn it. */
async function stateIfKnown(job: Job): Promise<JobEvent | undefined> {
  try {
    return await stateOf(job)
  } catch (error) {
    if (codeOf(error) === 'UNKNOWN_JOB') return undefined
    throw error
  }
}

function isOver({ state }: { readonly state: string }): boolean {
  return state === 'done' || state === 'failed'
}

/** Returns the tasks for which a job waits, and the tasks that have run for long. */
async function explained(job: Job): Promise<Pick<Extract<JobEvent, { readonly event: 'job' }>, 'waits' | 'running'>> {
  if (job.state !== 'active' && job.state !== 'pending') return { waits: [] }
  const { tasks, members } = await job.explain()
  return { waits: tasks, running: members.flatMap(({ member, oldest = [] }) => oldest.map((task) => ({ ...task, member }))) }
}
