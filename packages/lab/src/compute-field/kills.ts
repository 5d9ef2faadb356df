/**
 * Kills a part of a contender during a job. Measures the time of the job beyond the ideal time, and
 * the number of tasks that run twice.
 */
import { join } from 'node:path'
import { endedTasks, readExecutions } from '../base/job-log.ts'
import { NeverError, until, within } from '../base/wait.ts'
import { diesFile, withCluster, type Cluster, type Part, type Place } from './contender.ts'
import { killRow, twiceRow, type Add } from './rows.ts'

/**
 * Number of workers. Their tasks only wait, so more workers than cores do not disturb each other.
 */
const WORKERS = 4
/** Duration of a task, ms. */
const WAIT = 100
/** Share of the job's tasks that have ended at the kill. */
const KILLED_AT = 0.4
/** Longest time until that share of tasks has ended, ms. A guess. */
const BEGIN = 60_000

export interface Kill {
  readonly part: Part
  readonly tuned: boolean
  /** Duration of the job without a kill, s. */
  readonly seconds: number
  /** Longest time that the job may take beyond the ideal time, ms. */
  readonly timeout: number
  /** Parent of the cluster's folder. */
  readonly folder: string
}

/** Returns undefined if the job ended, otherwise the reason why it did not end. */
export async function kill(
  start: (place: Place) => Promise<Cluster>,
  { part, tuned, seconds, timeout, folder: parent }: Kill,
  add: Add,
): Promise<string | undefined> {
  return await withCluster(start, { workers: WORKERS, parent, watched: part === 'submitter' }, async (cluster, folder) => {
    const row = killRow(part, tuned)
    const tasks = Math.round((seconds * 1000 * WORKERS) / WAIT)
    const job = { tasks, ms: WAIT, busy: false, log: join(folder, 'log'), dies: diesFile(folder) }
    const begun = await within(BEGIN, 'a job to begin', cluster.client.begin(job))
    const doneSoFar = (): number => endedTasks(readExecutions(begun.log)).size
    if (!(await until(() => doneSoFar() >= tasks * KILLED_AT, BEGIN))) throw new NeverError('some tasks to end: nothing in time')
    const ended: Promise<unknown> = part === 'submitter' ? cluster.outlived(begun, tasks) : cluster.client.ended()
    ended.catch(() => {})
    const killedAt = performance.now()
    const workers = cluster.kill(part, begun)
    const ideal = ((tasks - doneSoFar()) * WAIT) / workers
    let problem: string | undefined
    try {
      await within(ideal + timeout, 'after the SIGKILL', ended)
    } catch (error) {
      problem = error instanceof NeverError ? error.message : `it failed: ${reasonOf(error)}`
    }
    add(row, problem === undefined ? (performance.now() - killedAt - ideal) / 1000 : Infinity)
    if (problem === undefined) add(twiceRow(row), readExecutions(begun.log).length - tasks)
    return problem
  })
}

/** The first line of the error, without the prefix that marks errors of other processes. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return (text.split('\n')[0] as string).replace(/^(?:worker: )?(?:Error: )?/u, '')
}
