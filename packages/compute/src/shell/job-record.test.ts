import type { Pool } from '@jel/jel'
import { decode, encode } from 'cbor-x'
import { expect, it } from 'vitest'
import { encodeJob, JOB_PREFIX, readJob, type JobRecord, type PublishedJob } from './job-record.ts'
import { PublishedJobs } from './published-jobs.ts'

const job: JobRecord = {
  program: '0'.repeat(64),
  fn: 'f',
  input: Uint8Array.of(1),
  inputBlob: undefined,
  blobs: undefined,
  result: undefined,
  trusted: false,
  votes: 1,
  requirements: undefined,
  after: [],
  maxTime: undefined,
  submitted: 1,
  desired: 'run',
  keep: 60000,
}

function read(value: Uint8Array): PublishedJob | undefined {
  return readJob({ name: `${JOB_PREFIX}x`, owner: 'o', value, expires: 1 } as Parameters<typeof readJob>[0])
}

it('a job record is read only if its submission date is valid', () => {
  const dateOf = (submitted: number): number | undefined => read(encodeJob({ ...job, submitted }))?.submitted
  for (const date of [0, 1_700_000_000_000.5, 8.64e15]) expect(dateOf(date)).toBe(date)
  for (const none of [1e300, Infinity, Number.NaN, -1, 8.64e15 + 2]) expect(dateOf(none)).toBeUndefined()
})

it('a job states its desired state in the field `wish` of its record', () => {
  const value = encodeJob({ ...job, desired: 'suspend' })
  const fields: unknown = decode(value)
  expect(fields).toMatchObject({ wish: 'suspend' })
  expect(fields).not.toHaveProperty('desired')
  expect(read(value)).toMatchObject({ desired: 'suspend' })
  expect(read(value)).not.toHaveProperty('wish')
})

function taking(
  joinedAt = 0,
  returnedAt = 0,
): {
  readonly told: unknown[]
  readonly fresh: string[]
  readonly jobs: PublishedJobs
  readonly take: (name: string, fields: unknown, version?: number) => void
} {
  const told: unknown[] = []
  const fresh: string[] = []
  const pool = { self: { joinedAt } } as Pool
  const jobs = new PublishedJobs(
    pool,
    { id: 'self' } as ConstructorParameters<typeof PublishedJobs>[1],
    {
      onPublished: ({ name }, isFresh) => {
        told.push(name)
        if (isFresh) fresh.push(name)
      },
      onForgotten: () => told.push('forgotten'),
      onUnknown: (...unknown) => told.push(unknown),
    },
    () => returnedAt,
  )
  const take = (name: string, fields: unknown, version = 1): void => {
    const record = { name: JOB_PREFIX + name, owner: 'o', version, value: Uint8Array.from(encode(fields)), expires: Infinity }
    jobs.take(record, true)
  }
  return { told, fresh, jobs, take }
}

const known = decode(encodeJob({ ...job, submitted: Date.now() })) as object

it('a job is fresh only for members that were there when it was submitted, and since then saw nobody return', () => {
  const now = Date.now()
  for (const [joinedAt, returnedAt, expected] of [
    [now - 1000, now - 1000, ['x']],
    [now + 1000, now - 1000, []],
    [now - 1000, now + 1000, []],
  ] as const) {
    const { fresh, take } = taking(joinedAt, returnedAt)
    take('x', decode(encodeJob({ ...job, submitted: now })))
    expect(fresh).toEqual(expected)
  }
})

it('a job with fields of a later release does not run here as another job, and its name and fields are told', () => {
  const { told, jobs, take } = taking()
  take('later', { ...known, region: 'eu' })
  take('known', known)
  expect(told).toEqual([['later', 'o', ['region']], 'known'])
  expect(jobs.named('o', 'later')).toBeUndefined()
})

it.each([
  ['replaces', { program: '1'.repeat(64) }],
  ['cancels', { wish: 'cancel' }],
])('a record of a later release that %s a job ends the job here', (_, fields) => {
  const { told, jobs, take } = taking()
  take('x', known, 2)
  take('x', { ...known, ...fields, region: 'eu' }, 1)
  expect(jobs.named('o', 'x')).toBeDefined()
  take('x', { ...known, ...fields, region: 'eu' }, 3)
  expect(jobs.named('o', 'x')).toBeUndefined()
  take('x', known, 4)
  expect(told).toEqual(['x', ['x', 'o', ['region']], 'forgotten', 'x'])
})

it('a record that is no job has no unknown fields', () => {
  const { told, take } = taking()
  for (const value of [new Uint8Array(1000), Array.from({ length: 900 }, () => 0), new Date(), new Set(['a']), 'text', 5, null])
    take('x', value)
  expect(told).toEqual([])
})

it('a member warns once of each job of a later release, and not without end', () => {
  const { told, take } = taking()
  const long = 'y'.repeat(500)
  for (let version = 1; version < 10; version++) take('x', { ...known, a: version, b: 1, [long]: 1, d: 1, e: 1 }, version)
  expect(told).toEqual([['x', 'o', ['a', 'b', 'y'.repeat(32), 'd']]])
  for (let n = 0; n < 1000; n++) take(`x ${n}`, { ...known, region: 'eu' })
  expect(told).toHaveLength(256)
})
