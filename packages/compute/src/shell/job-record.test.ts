import { expect, it } from 'vitest'
import { encodeJob, JOB_PREFIX, readJob, type JobRecord } from './job-record.ts'

const job: JobRecord = {
  program: '0'.repeat(64),
  fn: 'f',
  input: Uint8Array.of(1),
  inputBlob: undefined,
  blobs: undefined,
  result: undefined,
  trusted: false,
  votes: 1,
  submitted: 1,
  wish: 'run',
  keep: 60000,
}

function read(submitted: number): number | undefined {
  const value = encodeJob({ ...job, submitted })
  return readJob({ name: `${JOB_PREFIX}x`, owner: 'o', value, expires: 1 } as Parameters<typeof readJob>[0])?.submitted
}

it('a job was submitted at a date that can be shown', () => {
  for (const date of [0, 1_700_000_000_000.5, 8.64e15]) expect(read(date)).toBe(date)
  for (const none of [1e300, Infinity, Number.NaN, -1, 8.64e15 + 2]) expect(read(none)).toBeUndefined()
})
