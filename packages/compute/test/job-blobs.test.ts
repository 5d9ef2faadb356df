import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { joinPool, type Pool } from '@jel/jel'
import { describe, expect, it, vi } from 'vitest'
import { compute, type Grid } from '../src/index.ts'
import { encodeValue } from '../src/program/values.ts'
import { toBytes } from '../src/schemas.ts'
import { BLOB_PROTOCOL } from '../src/shell/blob-frames.ts'
import { nameOf } from '../src/shell/blob-names.ts'
import { hashOf } from '#platform/crypto'
import { BlobStore } from '../src/shell/blob-store.ts'
import { bundleProgram } from '../src/shell/bundle.ts'
import { JobBlobs } from '../src/shell/job-blobs.ts'
import { encodeJob, type PublishedJob } from '../src/shell/job-record.ts'
import { collectGarbage } from './garbage.ts'
import { testPool } from './test-pool.ts'

const blobs = join(import.meta.dirname, 'programs/blobs.ts')
const bytes = new Uint8Array(2_000_000).fill(2)

const test = testPool()
const { member } = test

async function leave(number: number): Promise<void> {
  await (test.grids[number] as Grid).close()
  await (test.pools[number] as Pool).leave()
}

async function has(number: number, hash?: string): Promise<boolean> {
  return existsSync(join(test.folder, String(number), `${hash ?? (await hashOf(bytes))}.mjs`))
}

it('blobs that were fetched do not stay in memory while their job stays', async () => {
  const fetched: WeakRef<Uint8Array>[] = []
  const job = new JobBlobs('program', [{ name: 'blob', size: 1000, parts: ['part'] }], async () => {
    const made = new Uint8Array(1000)
    fetched.push(new WeakRef(made))
    return await Promise.resolve(made)
  })
  await job.keep()
  await setImmediate()
  collectGarbage()
  expect(fetched).toHaveLength(2)
  expect(fetched.filter((made) => made.deref() !== undefined)).toEqual([])
  // All of it is here: nothing is fetched again.
  await job.keep()
  expect(fetched).toHaveLength(2)
})

describe('blobs of a job on a pool', () => {
  it('are kept by its replicas, and reach a worker once after the submitter left', async () => {
    const submitter = await member()
    const keeper = await member()
    await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
    const data = await submitter.blob(bytes)
    const { id } = await submitter.submit(blobs, 'many', { data, tasks: 20 })
    expect(await has(1)).toBe(true)
    await expect.poll(() => keeper.jobs().length).toBe(1)
    await leave(0)

    const pool = await joinPool('compute-test', { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: (test.pools[1] as Pool).self.addresses })
    test.pools.push(pool)
    const open = vi.spyOn(pool, 'open')
    const worker = await compute(pool, { workers: 2, accept: ['sandbox'], cache: join(test.folder, 'worker') })
    test.grids.push(worker)
    await expect.poll(() => worker.jobs().length).toBe(1)
    expect(await worker.job(id).result).toBe(1)
    // It fetched three files: the program, the list of blobs, and the blob.
    expect(open.mock.calls.filter(([, protocol]) => protocol === BLOB_PROTOCOL)).toHaveLength(3)
  })

  it('reach replicas that join later, and other members through these', async () => {
    const submitter = await member()
    const data = await submitter.blob(bytes)
    const { id } = await submitter.submit(blobs, 'sum', { data })
    await member()
    await expect.poll(async () => await has(1)).toBe(true)
    const next = await joinPool('compute-test', { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: (test.pools[1] as Pool).self.addresses })
    test.pools.push(next)
    await leave(0)
    const worker = await compute(next, { workers: 1, accept: ['members'], cache: join(test.folder, '2') })
    test.grids.push(worker)
    await expect.poll(() => worker.jobs().length).toBe(1)
    expect(await worker.job(id).result).toBe(4_000_000)
  })

  it('reach a member that becomes a replica when one leaves', async () => {
    const submitter = await member()
    for (let others = 0; others < 4; others++) await member()
    await expect.poll(() => submitter.source.replicas('x').length).toBe(3)
    await expect
      .poll(() => test.grids.map((grid) => grid.source.replicas('x').toSorted().join(' ')))
      .toSatisfy((views: string[]) => new Set(views).size === 1)
    const job = await submitter.submit(blobs, 'sum', { data: await submitter.blob(bytes) })
    const ids = test.pools.map(({ self }) => self.id)
    const outside = ids.flatMap((id, number) => (number === 0 || job.replicas.includes(id) ? [] : [number]))
    expect(await Promise.all(outside.map(async (number) => await has(number)))).not.toContain(true)
    await expect.poll(() => test.grids.every((grid) => grid.source.status(job.id) !== undefined)).toBe(true)
    const leaving = ids.findIndex((id, number) => number > 0 && job.replicas.includes(id))
    await leave(leaving)
    // If the submitter is the new replica, it has the blobs anyway. Then another replica leaves.
    if (submitter.source.replicas(job.id).includes(ids[0] as string))
      await leave(ids.findIndex((id, number) => number > 0 && number !== leaving && job.replicas.includes(id)))
    await expect.poll(async () => await Promise.all(outside.map(async (number) => await has(number))), { timeout: 20_000 }).toContain(true)
  })

  it('that nobody has fail with the name of the member, and other tasks go on', { timeout: 60_000 }, async () => {
    const submitter = await member()
    const worker = await member({ workers: 1 })
    await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
    const known = await (await submitter.submit(blobs, 'sound', 1)).result
    expect(known).toBe(1)
    const [job] = submitter.jobs()
    const hash = await hashOf(Uint8Array.of(9, 9, 9))
    const name = nameOf({ hash, isList: false })
    const list = await new BlobStore(join(test.folder, '0')).put(toBytes([{ name, size: 3, parts: [hash] }]))
    // Publishes a job as if its submitter had lost the blob.
    const published = submitter.source.published((job as { id: string }).id) as PublishedJob
    const value = encodeJob({ ...published, fn: 'catches', input: encodeValue(name), blobs: list, submitted: Date.now() })
    await (test.pools[0] as Pool).publish('jel.compute/job/lost', value, { ttl: 60_000 })
    await expect.poll(() => worker.jobs().length).toBe(2)
    expect(await worker.job('lost').result).toEqual({
      code: 'BLOB_MISSING',
      message: expect.stringMatching(new RegExp(`^the blob ${name}: none of 1 members has ${hash}, asked 3 times$`, 'u')),
      member: (test.pools[1] as Pool).self.id,
      tries: 1,
      other: { status: 'fulfilled', value: 1 },
    })
  })

  it('that exceed the disk of a member leave the job to others', async () => {
    const submitter = await member()
    const small = await member({ workers: 1, limits: { disk: 1 } })
    const warned: string[] = []
    small.addEventListener('warning', ({ detail }) => warned.push(detail.code))
    await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
    const job = await submitter.submit(blobs, 'sum', { data: await submitter.blob(bytes) })
    await expect.poll(() => warned).toContain('BLOB_TOO_LARGE')
    expect(job.state).toBe('pending')
    await expect
      .poll(async () => (await job.waits()).flatMap(({ unfit }) => unfit ?? []), { timeout: 5000 })
      .toEqual([expect.stringContaining('this member keeps 1048576')])
    await member({ workers: 1 })
    expect(await job.result).toBe(4_000_000)
  })

  it.each([[1], [0]])('are requested once by a member that has no room for the program, with %s workers', async (workers) => {
    const submitter = await member()
    const small = await member({ workers, limits: { disk: 1 } })
    const warned: string[] = []
    small.addEventListener('warning', ({ detail }) => warned.push(`${detail.code} ${detail.message}`))
    const open = vi.spyOn(test.pools[1] as Pool, 'open')
    await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
    const program = Buffer.concat([await bundleProgram(blobs), Buffer.from(`\n//${'x'.repeat(2_000_000)}`)])
    const job = await submitter.submit(program, 'sum', { data: await submitter.blob(Uint8Array.of(1)) })
    await expect(job.kept(3000)).rejects.toMatchObject({ code: 'JOB_NOT_KEPT' })
    expect(warned).toEqual([
      expect.stringMatching(/^BLOB_TOO_LARGE 200\d{4} bytes are too many: this member keeps at most 1048576 bytes on disk$/u),
    ])
    expect(open.mock.calls.filter(([, protocol]) => protocol === BLOB_PROTOCOL).length).toBeLessThan(4)
    await member({ workers: 1 })
    expect(await job.result).toBe(1)
  })

  it('are refused beside a program that is too large for others to fetch', async () => {
    const submitter = await member()
    const program = submitter.submit(new Uint8Array(64 * 2 ** 20 + 1), 'sum')
    await expect(program).rejects.toMatchObject({ code: 'BLOB_TOO_LARGE', message: expect.stringContaining('a program may have') })
  })
})
