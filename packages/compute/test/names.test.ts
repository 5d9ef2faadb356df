import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BlobStore } from '../src/shell/blob-store.ts'
import { jobId, type JobRecord } from '../src/shell/job-record.ts'

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
  keep: 60_000,
}

describe('things that are named by their content', () => {
  it('two jobs of one name differ in id if the owner or anything that is computed differs', () => {
    const others: JobRecord[] = [
      { ...job, program: '1'.repeat(64) },
      { ...job, fn: 'g' },
      { ...job, input: Uint8Array.of(2) },
    ]
    others.push({ ...job, blobs: '2'.repeat(64) }, { ...job, votes: 2 })
    const ids = [jobId('another', 'x', job), jobId('o', 'y', job), ...others.map((each) => jobId('o', 'x', each))]
    expect(new Set([...ids, jobId('o', 'x', job)]).size).toBe(8)
    expect(jobId('o', 'x', { ...job, submitted: 2, keep: 1, desired: 'cancel' })).toBe(jobId('o', 'x', job))
  })

  it('a changed file is deleted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jel-store-'))
    try {
      const store = new BlobStore(folder, 1)
      const hash = await store.put(new Uint8Array(100))
      writeFileSync(await store.fileOf(hash), 'something else')
      await expect(store.fileOf(hash)).rejects.toThrow('not on this machine any more')
      expect(readdirSync(folder)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
