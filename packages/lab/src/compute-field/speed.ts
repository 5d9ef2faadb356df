/** Measures how fast a contender is on two cores when nothing goes wrong. */
import { loopbackBytes, loopbackPackets } from '../network/loopback.ts'
import { within } from '../base/wait.ts'
import type { Job } from './client.ts'
import type { Cluster } from './contender.ts'
import { LENGTHS, type Add, type Length } from './rows.ts'

export const WORKERS = 2

/** Tasks of the first job, which starts threads and connections. */
const WARM_UP = 500
/**
 * A rate is measured over this share of the other jobs' time, and over at least two seconds: a
 * guess. A job's beginning must not count for much.
 */
const RATE_SHARE = 0.2
const RATE_LEAST = 2000
/** Tasks of the first attempt at the rate. */
const RATE_FIRST = 2000
/** Most growth of the number of tasks from one attempt to the next. A guess. */
const GROWTH = 8
/**
 * Tasks, and jobs of one task, that run one after another: `each` for each second of a job, and at
 * most `most`. Guesses.
 */
const IN_TURN = { each: 20, most: 100 }
const JOBS = { each: 4, most: 12 }
/** Tasks of one job: the scheduler refuses more than 65,536 children of one task. */
const MOST = 60_000
const LEAST = 20
/**
 * A job is planned longer than requested by this factor, so that it does not end early. A guess.
 */
const MARGIN = 1.05
/** A job has stopped when it takes `LATE` times its planned time and a minute. */
const LATE = 4
const GRACE = 60_000

/** `seconds`: duration of a job whose efficiency is measured; it may take a little more. */
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
 * Tasks a second, of a job that takes at least `least` ms: short jobs would show the time that a
 * job takes to begin.
 */
async function rateOf(run: (tasks: number) => Promise<number>, least: number): Promise<number> {
  for (let tasks = RATE_FIRST; ;) {
    const took = await run(tasks)
    if (took >= least || tasks === MOST) return (tasks * 1000) / took
    tasks = bounded(tasks * Math.min(GROWTH, (MARGIN * least) / took + 1))
  }
}

/** The length of tasks while traffic is counted. */
const TRAFFIC_AT: Length = 10

function bounded(tasks: number): number {
  return Math.min(MOST, Math.max(LEAST, Math.round(tasks)))
}
