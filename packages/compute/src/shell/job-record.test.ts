import type { Pool, PoolRecord } from '@jel/jel'
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

it('a job with fields of a later release does not run here as another job, and its name and fields are told', () => {
  const told: unknown[] = []
  const jobs = new PublishedJobs({} as Pool, { id: 'self' } as ConstructorParameters<typeof PublishedJobs>[1], {
    onPublished: ({ name }) => told.push(name),
    onForgotten: () => {},
    onUnknown: (...unknown) => told.push(unknown),
  })
  const known = decode(encodeJob(job)) as object
  const take = (name: string, fields: object): void =>
    jobs.take(
      { name: JOB_PREFIX + name, owner: 'o', value: Uint8Array.from(encode(fields)), expires: Infinity } as unknown as PoolRecord,
      true,
    )
  take('later', { ...known, region: 'eu' })
  take('known', known)
  expect(told).toEqual([['later', 'o', ['region']], 'known'])
  expect(jobs.named('o', 'later')).toBeUndefined()
})
