/** A member of the pool without workers, which submits jobs or only waits for their results. */
import { fileURLToPath } from 'node:url'
import { compute, type Grid, type Job as GridJob } from '@jel/compute'
import { joinPool, readOwner, type Pool } from '@jel/jel'
import { serve } from '../../base/remote.ts'
import { until } from '../../base/wait.ts'
import { check, clientOf, timed, type Client, type Job, type Submitted } from '../client.ts'
import type { InTurn, Rounds } from './grid-program.ts'

const PROGRAM = fileURLToPath(new URL('grid-program.ts', import.meta.url))
/** How long a job is kept, ms: longer than a run. */
const KEEP = 3_600_000
/**
 * Attempts to get a job whose first replica is a worker. A guess: with four workers of six members
 * it takes seven at most in 999 of 1,000 runs.
 */
const ATTEMPTS = 10

export interface GridClient extends Client {
  enter(place: {
    readonly pool: string
    readonly owner: string
    readonly cache: string
    readonly bootstrap: string
    /** Ids of the members that work. The first replica of a logged job is one of them. */
    readonly workers: readonly string[]
  }): Promise<void>
  /** Runs rounds to their end; ms. */
  rounds(course: Rounds): Promise<number>
  /** Resolves when this member has the result of a job that another one submitted. */
  outlived(id: string, tasks: number): Promise<void>
  /** Runs a program to its end. `data`: a file that the input names. */
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
  rounds: (course) => timed(async () => check(await (await submit('rounds', course)).result, course.rounds * course.width)),
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

/** A worker holds the root of a logged job, so that the experiment can kill it. */
async function submitWide(job: Job): Promise<Submitted> {
  if (job.log === undefined) return { result: (await submit('wide', job)).result }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Tasks of a job that was given up write to another file.
    const log = `${job.log}.${attempt}`
    const submitted = await submit('wide', { ...job, log })
    if (workers.has(submitted.replicas[0] ?? '')) return { id: submitted.id, log, result: submitted.result }
    await submitted.cancel()
  }
  throw new Error('no job has a worker as its first replica')
}
