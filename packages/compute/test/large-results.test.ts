import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { computeLocal, type LocalGrid } from '../src/index.ts'
import { testPool } from './test-pool.ts'

const MEBIBYTE = 2 ** 20

let folder: string
let file: string
let local: LocalGrid

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-large-'))
  file = join(folder, 'large.ts')
  writeFileSync(
    file,
    `import { task } from '@jel/compute/program'
export const large = task((bytes: number) => ({ text: 'x'.repeat(bytes) }))
export const parts = task((count: number) => Array.from({ length: count }, () => []))
export const ints = task((count: number) => Array.from({ length: count }, () => 1))
export const child = task(async (bytes: number, { run }) => (await run(large, bytes)).text.length)
export const padded = ({ text, repeat }: { text: string; repeat: number }) => text.repeat(repeat)
export const greedy = task(async (_: number, context) => {
  const store = (context as unknown as { store: (bytes: Uint8Array) => Promise<{ size: number }> }).store
  const ends = await Promise.allSettled([store(new Uint8Array(10)), store(new Uint8Array(10))])
  return ends.map(({ status }) => status)
})
`,
  )
  local = computeLocal({ workers: 1, cache: join(folder, 'cache') })
})

afterAll(async () => {
  await local.close()
  rmSync(folder, { recursive: true })
})

const test = testPool()

it('a job may have a value of 16 MiB, a task one of 1 MiB', async () => {
  const bytes = 15 * MEBIBYTE
  expect(await (await local.submit(file, 'large', bytes)).result).toEqual({ text: 'x'.repeat(bytes) })
  const refused = async (fn: string, input: number): Promise<unknown> =>
    await (await local.submit(file, fn, input)).result.catch((error: unknown) => error)
  expect(await refused('large', 17 * MEBIBYTE)).toMatchObject({ code: 'VALUE_TOO_LARGE', message: expect.stringContaining('16777216') })
  expect(await refused('parts', 1.1 * MEBIBYTE)).toMatchObject({ message: expect.stringContaining('more than 1048576 lists and maps') })
  expect(await refused('ints', 1.2 * MEBIBYTE)).toMatchObject({ message: expect.stringContaining('exceeds 1048576') })
  expect(await refused('child', 1.1 * MEBIBYTE)).toMatchObject({ code: 'VALUE_TOO_LARGE', message: expect.stringContaining('1048576') })
})

it('a sweep may have inputs and values of 16 MiB in all', async () => {
  const inputs = Array.from({ length: 600 }, (_, at) => ({ text: `${at} `.repeat(500), repeat: 2 }))
  const sweep = await local.map(file, 'padded', inputs)
  expect(await sweep.result).toEqual(inputs.map(({ text }) => text.repeat(2)))
})

it('replicas keep a large value: a member that comes last reads it after all others of the beginning have left', async () => {
  // It is the way in for the others, and computes nothing.
  await test.join()
  const submitter = await test.member()
  const worker = await test.member({ workers: 1 })
  await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
  const job = await submitter.submit(file, 'large', 3 * MEBIBYTE)
  const value = { text: 'x'.repeat(3 * MEBIBYTE) }
  expect(await job.result).toEqual(value)
  for (const gone of [0, 1]) {
    const next = await test.member()
    await expect.poll(() => next.job(job.id).state, { timeout: 10_000 }).toBe('done')
    await expect.poll(async () => (await next.figures()).blobBytes, { timeout: 10_000 }).toBeGreaterThan(3 * MEBIBYTE)
    await (gone === 0 ? worker : submitter).close()
    await test.pools[2 - gone]?.leave()
  }
  const last = await test.member()
  await expect.poll(() => last.source.replicas(job.id).length, { timeout: 10_000 }).toBeGreaterThan(1)
  await expect.poll(() => last.job(job.id).state, { timeout: 10_000 }).toBe('done')
  expect(await last.job(job.id).result).toEqual(value)
})

it('a disk full of results of another owner takes the next result of this owner', async () => {
  await test.join()
  const limits = { disk: 16 }
  const submitter = await test.member({ limits })
  await test.member({ workers: 1, limits })
  await expect.poll(() => submitter.source.replicas('x').length).toBe(2)
  for (let bytes = 3 * MEBIBYTE; bytes < 3 * MEBIBYTE + 7; bytes++) {
    const job = await submitter.submit(file, 'large', bytes)
    expect(await job.result).toEqual({ text: 'x'.repeat(bytes) })
  }
})

it('in a sandbox the value of a job may be large, and nothing else is stored', async () => {
  const grid = computeLocal({ workers: 1, cache: join(folder, 'sandbox'), place: 'sandbox' })
  expect(await (await grid.submit(file, 'large', 2 * MEBIBYTE)).result).toEqual({ text: 'x'.repeat(2 * MEBIBYTE) })
  expect(await (await grid.submit(file, 'greedy', 0)).result).toEqual(['fulfilled', 'rejected'])
  await grid.close()
})
