/** A member of the pool without workers. It submits jobs, or only waits for their results. */
import { fileURLToPath } from 'node:url'
import { compute, type Grid, type Job as GridJob } from '@jel/compute'
import { joinPool, readOwner, type Pool } from '@jel/jel'
import { serve } from '../../base/remote.ts'
import { until } from '../../base/wait.ts'
import { check, clientOf, timed, type Client, type Job, type Submitted } from './client.ts'
import type { InTurn, Rounds } from './grid-program.ts'

const PROGRAM = fileURLToPath(new URL('grid-program.ts', import.meta.url))
/** Time for which the pool keeps a job, ms: longer than a run. */
const KEEP = 3_600_000
/**
 * Largest number of attempts to submit a job until its first replica is a worker. A guess: with
 * four workers among six members, 999 of 1,000 runs need at most seven attempts.
 */
const ATTEMPTS = 10

export interface GridClient extends Client {
  enter(place: {
    readonly pool: string
    readonly owner: string
    readonly cache: string
    readonly bootstrap: string
    /** Ids of the members with workers. The first replica of a job with a log is one of them. */
    readonly workers: readonly string[]
  }): Promise<void>
  /** Runs a job of rounds to its end. Returns the time, ms. */
  rounds(input: Rounds): Promise<number>
  /** Resolves when this member has the result of a job that another member submitted. */
  outlived(id: string, tasks: number): Promise<void>
  /**
   * Runs a program to its end. Returns the time, ms, and the result. `data`: a file that the input
   * gets as a blob.
   */
  program(file: string, fn: string, input: unknown, data?: string): Promise<{ readonly ms: number; readonly result: unknown }>
}

let pool: Pool
let grid: Grid
let workers: ReadonlySet<string>
let jobs = 0

const client: GridClient = {
  async enter(place) {
    pool = await joinPool(place.pool, { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: [place.bootstrap] })
    grid = await compute(pool, { owner: readOwner(place.owner), cache: place.cache })
    workers = new Set(place.workers)
    await until(() => place.workers.every((id) => pool.members().some((member) => member.id === id)))
  },
  ...clientOf(submitWide, async (number) => await (await submit('one', { number, ms: 0, busy: false })).result),
  async inTurn(tasks) {
    const { sum, ms } = (await (await submit('inTurn', { tasks })).result) as InTurn
    check(sum, tasks)
    return ms
  },
  rounds: (input) => timed(async () => check(await (await submit('rounds', input)).result, input.rounds * input.width)),
  async outlived(id, tasks) {
    await until(() => grid.jobs().some((job) => job.id === id))
    check(await grid.job(id).result, tasks)
  },
  async program(file, fn, input, data) {
    let result: unknown
    const given = data === undefined ? input : { data: await grid.blob(data) }
    const ms = await timed(async () => {
      const job = await grid.submit(file, fn, given, { name: `${process.pid}-${jobs++}`, keep: KEEP })
      result = await job.result
    })
    return { ms, result }
  },
}
serve(client)

async function submit(fn: string, input: unknown): Promise<GridJob> {
  return await grid.submit(PROGRAM, fn, input, { name: `${process.pid}-${jobs++}`, keep: KEEP })
}

/**
 * Submits a job. If the job has a log, a worker holds its root, so that the experiment can kill the
 * holder.
 */
async function submitWide(job: Job): Promise<Submitted> {
  if (job.log === undefined) return { result: (await submit('wide', job)).result }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Each attempt has its own log, because tasks of a cancelled job may still write.
    const log = `${job.log}.${attempt}`
    const submitted = await submit('wide', { ...job, log })
    if (workers.has(submitted.replicas[0] ?? '')) return { id: submitted.id, log, result: submitted.result }
    await submitted.cancel()
  }
  throw new Error('no job has a worker as its first replica')
}
