import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateIdentity, readOwner, type Pool, type RecordOwner } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import { encodeJob, JOB_PREFIX, jobId, MAX_LIFETIME, type JobRecord } from '../src/shell/job-record.ts'
import { PublishedJobs } from '../src/shell/published-jobs.ts'
import { testPool } from './test-pool.ts'

const test = testPool()

function jobOf(submitted: number): JobRecord {
  return {
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
    submitted,
    desired: 'run',
    keep: 60_000,
  }
}

function jobsOf(pool: Pool, owner?: RecordOwner): { readonly jobs: PublishedJobs; readonly published: string[] } {
  const published: string[] = []
  const jobs = new PublishedJobs(
    pool,
    owner,
    { onPublished: ({ id }) => published.push(id), onForgotten: () => {}, onUnknown: () => {} },
    () => 0,
  )
  return { jobs, published }
}

describe('a forgotten job', () => {
  it('stays forgotten if another member of its owner learns of its end a moment later', async () => {
    const [one, other] = [await test.join(), await test.join()]
    await expect.poll(() => [one, other].map((pool) => pool.members().length)).toEqual([2, 2])
    const file = join(test.folder, 'owner')
    await generateIdentity(file)
    const owner = readOwner(file)
    const [{ jobs: a, published }, { jobs: b }] = [jobsOf(one, owner), jobsOf(other, owner)]
    a.start()
    b.start()
    try {
      const job = jobOf(Date.now())
      await a.publish('x', job, MAX_LIFETIME)
      const id = jobId(owner.id, 'x', job)
      await expect.poll(() => b.has(id)).toBe(true)
      published.length = 0
      const gone = a.withdraw(id)
      // The other member handles no event meanwhile, so its record has a later version.
      for (const until = Date.now() + 20; Date.now() < until;);
      expect(b.has(id)).toBe(true)
      b.keepEnded(id)
      await gone
      await expect.poll(() => b.has(id)).toBe(false)
      await sleep(500)
      expect({ known: [a.has(id), b.has(id)], published }).toEqual({ known: [false, false], published: [] })
      expect([one, other].map((pool) => pool.records(JOB_PREFIX))).toEqual([[], []])
      await a.publish('x', jobOf(Date.now()), MAX_LIFETIME)
      await expect.poll(() => b.has(id)).toBe(true)
    } finally {
      a.close()
      b.close()
    }
  })

  it('comes back if its record was only evicted, or had expired by a wrong calendar', async () => {
    const { jobs } = jobsOf(await test.join())
    const job = jobOf(Date.now())
    const record = { name: `${JOB_PREFIX}x`, owner: 'o', version: 1, expires: Date.now() + 60_000, value: encodeJob(job) }
    const id = jobId('o', 'x', job)
    jobs.take(record, true)
    jobs.take({ ...record, value: undefined }, true)
    expect(jobs.has(id)).toBe(false)
    jobs.take(record, true)
    expect(jobs.has(id)).toBe(true)
    jobs.take({ ...record, version: 2, expires: Date.now() - 1, value: undefined }, true)
    expect(jobs.has(id)).toBe(false)
    jobs.take({ ...record, version: 3 }, true)
    expect(jobs.has(id)).toBe(true)
    jobs.take({ ...record, version: 4, value: undefined }, true)
    jobs.take({ ...record, version: 5 }, true)
    expect(jobs.has(id)).toBe(false)
    jobs.close()
  })
})
