/** Measures the speed of a contender on two cores without faults. */
import { loopbackBytes, loopbackPackets } from '../network/loopback.ts'
import { within } from '../base/wait.ts'
import type { Job } from './programs/client.ts'
import type { Cluster } from './contender.ts'
import { LENGTHS, type Add, type Length } from './rows.ts'

export const WORKERS = 2

/** Number of tasks in the first job, which starts threads and connections. */
const WARM_UP = 500
/**
 * Least time of the job that measures the rate: this share of the other jobs' time, but at least
 * `RATE_LEAST` ms. In a long job the time until it begins hardly counts. Guesses.
 */
const RATE_SHARE = 0.2
const RATE_LEAST = 2000
/** Number of tasks in the first attempt at the rate. */
const RATE_FIRST = 2000
/** Largest factor for the number of tasks from one attempt to the next. A guess. */
const GROWTH = 8
/**
 * Number of tasks (`IN_TURN`), and of jobs of one task (`JOBS`), that run one after another. Their
 * number is `each` times the seconds of a job, but at most `most`. Guesses.
 */
const IN_TURN = { each: 20, most: 100 }
const JOBS = { each: 4, most: 12 }
/**
 * Maximum and minimum number of tasks of one job. The scheduler refuses more than 65,536 children
 * of one task.
 */
const MOST = 60_000
const LEAST = 20
/**
 * Factor by which the plan of a job is longer than the request, so that the job does not end early.
 * A guess.
 */
const MARGIN = 1.05
/**
 * Longest time of a job: `LATE` times its planned time, and `GRACE` ms. A later job counts as
 * stopped.
 */
const LATE = 4
const GRACE = 60_000

/**
 * Measures the rows of speed. `seconds`: planned duration of each job whose efficiency is measured;
 * a job may take a little longer.
 */
export async function speed({ client, nodes }: Cluster, seconds: number, add: Add): Promise<void> {
  const run = async (job: Job): Promise<number> => {
    const most = LATE * seconds * 1000 + GRACE
    await within(most, 'a job to begin', client.begin(job))
    return await within(most, `a job of ${job.tasks} tasks of ${job.ms} ms`, client.ended())
  }
  const empty = (tasks: number): Job => ({ tasks, ms: 0, busy: true })
  await run(empty(WARM_UP))
  const [inTurn, jobs] = [IN_TURN, JOBS].map(({ each, most }) => Math.ceil(Math.min(most, each * seconds))) as [number, number]
  add('inTurn', (await within(GRACE, 'tasks in turn', client.inTurn(inTurn))) / inTurn)
  add('jobByJob', (await within(GRACE, 'jobs in turn', client.jobByJob(jobs))) / jobs)
  const rate = await rateOf((tasks) => run(empty(tasks)), Math.max(RATE_LEAST, seconds * RATE_SHARE * 1000))
  add('rate', rate)
  for (const ms of LENGTHS) {
    const tasks = bounded((MARGIN * seconds * 1000) / (ms / WORKERS + 1000 / rate))
    const before = [loopbackBytes(), loopbackPackets()] as const
    const took = await run({ tasks, ms, busy: true })
    add(`busy${ms}`, (tasks * ms * 100) / WORKERS / took)
    if (ms !== TRAFFIC_AT) continue
    const [bytes, packets] = [loopbackBytes() - before[0], loopbackPackets() - before[1]]
    if (Number.isNaN(bytes)) continue
    add('bytesTask', bytes / tasks)
    add('bytesNode', (bytes * 1000) / took / nodes)
    add('packetsNode', (packets * 1000) / took / nodes)
  }
}

/**
 * Returns the tasks a second of a job that takes at least `least` ms. A shorter job would mostly
 * show the time until a job begins.
 */
async function rateOf(run: (tasks: number) => Promise<number>, least: number): Promise<number> {
  for (let tasks = RATE_FIRST; ;) {
    const took = await run(tasks)
    if (took >= least || tasks === MOST) return (tasks * 1000) / took
    tasks = bounded(tasks * Math.min(GROWTH, (MARGIN * least) / took + 1))
  }
}

/** Length of the tasks in the job whose traffic counts, ms. */
const TRAFFIC_AT: Length = 10

function bounded(tasks: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.round(tasks)))
}
