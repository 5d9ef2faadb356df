import type { Grid, JobProgress } from '@jel/compute'
import { describe, expect, it } from 'vitest'
import type { JobEvent } from '../events/job-messages.ts'
import { runJobCommand } from './job-commands.ts'

async function resultOf(value: unknown): Promise<JobEvent | undefined> {
  const grid = { job: () => ({ id: 'x', result: Promise.resolve(value) }) } as unknown as Grid
  let reported: JobEvent | undefined
  await runJobCommand(grid, { command: 'job', job: 'x', until: 'result' }, (event) => (reported = event), new AbortController().signal)
  return reported
}

it('a job that no member takes is reported as such, and as submitted once a member does', async () => {
  const reported: string[] = []
  const within: unknown[] = []
  const job = {
    id: 'x',
    async kept(time?: number) {
      within.push(time)
      if (time === undefined) throw new Error('none of 3 members has taken all of it')
      return await Promise.resolve('member')
    },
    async *progress() {
      while (!reported.includes('submitted')) yield await Promise.resolve({ state: 'pending' })
    },
    result: Promise.resolve(1),
  }
  const grid = { submit: () => job, addEventListener() {}, removeEventListener() {} } as unknown as Grid
  const tell = ({ event }: JobEvent): void => void (event !== 'progress' && reported.push(event))
  const command = { command: 'submit', file: 'f', function: 'f', until: 'ended' } as const
  await runJobCommand(grid, command, tell, new AbortController().signal)
  expect(reported).toEqual(['not-kept', 'submitted', 'done'])
  expect(within).toEqual([undefined, Infinity])
})

it('a result that names its parts again and again is not written out', async () => {
  let value: unknown = 'a long text '.repeat(100)
  // Written out, it would never end.
  for (let level = 0; level < 50; level++) value = [value, value]
  expect(await resultOf(value)).toMatchObject({ event: 'failed', message: expect.stringContaining('as JSON') as string })
})

it('a result as large as one may be is written out', async () => {
  const value = { bytes: new Uint8Array(900_000), more: Array.from({ length: 50_000 }, (_, number) => number) }
  expect(await resultOf(value)).toMatchObject({ event: 'done' })
})

const progress: JobProgress = { state: 'pending', covered: 0, members: 0, begun: 0, finished: 0, rate: 0, reason: 'nobody has answered' }

it('a job that expires while the jobs are listed hides no other one', async () => {
  const job = (id: string, progress: () => AsyncGenerator<JobProgress>): object => ({
    id,
    name: id,
    owner: 'owner',
    submitted: new Date(0),
    expires: new Date(0),
    replicas: [],
    progress,
  })
  const jobs = [
    job('gone', async function* () {
      yield await Promise.reject(Object.assign(new Error('unknown'), { code: 'UNKNOWN_JOB' }))
    }),
    job('here', async function* () {
      yield await Promise.resolve({ ...progress, state: 'done' as const })
    }),
  ]
  const events: JobEvent[] = []
  const grid = { jobs: () => jobs } as unknown as Grid
  await runJobCommand(grid, { command: 'jobs' }, (event) => void events.push(event), new AbortController().signal)
  expect(events).toMatchObject([{ event: 'job', job: 'here' }])
})

/** Returns a grid of one job. The job's progress is these answers in turn. `owner`: of the grid. */
function gridOf(answers: readonly JobProgress[], owner = 'owner'): Grid {
  const job = {
    id: 'id',
    name: 'name',
    owner: 'owner',
    submitted: new Date(0),
    expires: new Date(0),
    replicas: [],
    async *progress() {
      for (const answer of answers) yield await Promise.resolve(answer)
    },
  }
  return { job: () => job, owner } as unknown as Grid
}

async function stateOf(...answers: readonly JobProgress[]): Promise<unknown> {
  const reported: JobEvent[] = []
  const { signal } = new AbortController()
  await runJobCommand(gridOf(answers), { command: 'job', job: 'name' }, (event) => reported.push(event), signal)
  return reported.map((event) => 'state' in event && event.state)
}

describe('the state that a command reports of a job', () => {
  it('is the answer of a replica that had to be asked again', async () => {
    expect(await stateOf(progress, progress, { ...progress, state: 'active' })).toEqual(['active'])
  })

  it('is pending, if no replica answers otherwise', async () => {
    expect(await stateOf(progress, progress, progress, { ...progress, state: 'active' })).toEqual(['pending'])
  })
})

it.each([
  ['name', 'owner', ['job']],
  ['name', 'another', ['not-own', 'job']],
  ['id', 'another', ['job']],
])('a job of another owner is reported as such if it has the name: %s for %s', async (job, owner, events) => {
  const reported: JobEvent[] = []
  const { signal } = new AbortController()
  const grid = gridOf([{ ...progress, state: 'active' }], owner)
  await runJobCommand(grid, { command: 'job', job }, (event) => reported.push(event), signal)
  expect(reported.map(({ event }) => event)).toEqual(events)
  expect(reported.find(({ event }) => event === 'not-own') ?? {}).toEqual(
    events.length > 1 ? { event: 'not-own', job: 'id', owner: 'owner' } : {},
  )
})
