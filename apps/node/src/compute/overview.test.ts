import { JobFailedError, type Grid, type Job, type JobState } from '@jel/compute'
import { expect, it } from 'vitest'
import { overviewOf } from './overview.ts'

const asked: string[] = []

function jobOf(id: string, state: JobState, message = '', ended?: Date): Job {
  const tasks = Array.from({ length: 64 }, () => ({ path: 'x', fn: 'f', holder: 'm', age: 1, still: 0, progress: 0, leaf: true }))
  const failure = { code: 'TASK_THREW', message, member: 'm', tries: 1, fn: 'f', input: 'x'.repeat(500) }
  const job: Partial<Job> = {
    id,
    name: id,
    owner: 'o',
    submitted: new Date(5),
    ended,
    state,
    explain: async () => {
      asked.push(id)
      return await Promise.resolve({ tasks, functions: [], members: [] })
    },
    async *progress() {
      yield await Promise.resolve({ state, covered: 0, members: 0, begun: 0, finished: 0, rate: 9, reason: '' })
    },
    get result() {
      return Promise.reject(new JobFailedError(failure))
    },
  }
  return job as Job
}

function gridOf(...jobs: readonly Job[]): Grid {
  return { jobs: () => jobs } as unknown as Grid
}

it('an overview has unfinished jobs first, then the latest ended jobs, in bounded number and size', async () => {
  const jobs = Array.from({ length: 70 }, (_, i) => jobOf(`done ${i}`, 'done'))
  const grid = gridOf(...jobs, jobOf('bad', 'failed', 'no '.repeat(500)), jobOf('first', 'active'), jobOf('second', 'pending'))
  const { jobs: listed, more } = await overviewOf(grid)
  expect(listed.slice(0, 4).map(({ job }) => job)).toEqual(['first', 'second', 'bad', 'done 69'])
  expect([listed.length, more]).toEqual([50, 23])
  expect(listed[0]?.tasks).toHaveLength(16)
  expect(listed[2]?.failure).toMatchObject({ code: 'TASK_THREW', fn: 'f', member: 'm' })
  expect(Object.values(listed[2]!.failure!).every((text) => text.length <= 301)).toBe(true)
})

it('the work on an ended job is asked for once, on an active job each time, and of few jobs at a time', async () => {
  asked.length = 0
  const grid = gridOf(
    ...Array.from({ length: 20 }, (_, i) => jobOf(`done ${i}`, 'done')),
    jobOf('active', 'active'),
    jobOf('new', 'pending'),
  )
  await overviewOf(grid)
  expect(asked.toSorted()).toEqual(['active', ...[14, 15, 16, 17, 18, 19].map((i) => `done ${i}`)])
  for (let turn = 0; turn < 5; turn++) await overviewOf(grid)
  expect(asked.filter((id) => id === 'done 19')).toHaveLength(1)
  expect(asked.filter((id) => id === 'active')).toHaveLength(6)
  expect(new Set(asked).size).toBe(21)
})

it('a job that has just ended is asked about again, since members send their last reports afterwards', async () => {
  asked.length = 0
  const grid = gridOf(jobOf('new', 'done', '', new Date()), jobOf('old', 'done', '', new Date(Date.now() - 60_000)))
  for (let turn = 0; turn < 3; turn++) await overviewOf(grid)
  expect(asked.toSorted()).toEqual(['new', 'new', 'new', 'old'])
})

it('more unfinished jobs than are asked about at a time take turns, and keep their last answers meanwhile', async () => {
  asked.length = 0
  const grid = gridOf(...Array.from({ length: 9 }, (_, i) => jobOf(`active ${i}`, 'active')))
  await overviewOf(grid)
  expect(new Set(asked).size).toBe(8)
  const { jobs } = await overviewOf(grid)
  expect(new Set(asked).size).toBe(9)
  expect(jobs.map(({ tasks }) => tasks.length)).toEqual(Array.from({ length: 9 }, () => 16))
})
