import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeLocal, type LocalGrid } from '../src/index.ts'

const blobs = join(import.meta.dirname, 'programs/blobs.ts')
/** The CIDv1 of the empty blob, as IPFS writes it. */
const EMPTY = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

describe.each(['own', 'sandbox'] as const)('blobs of a program that runs as %s', (place) => {
  let folder: string
  let grid: LocalGrid

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'jel-blobs-'))
    grid = computeLocal({ workers: 2, cache: folder, place, limits: { disk: 160, memory: 256 } })
  })

  afterAll(async () => {
    await grid.close()
    rmSync(folder, { recursive: true })
  })

  it('have the same names as in IPFS', async () => {
    expect(await grid.blob(new Uint8Array())).toEqual({ blob: EMPTY, size: 0 })
    expect(await (await grid.submit(blobs, 'named', EMPTY, { blobs: [{ blob: EMPTY }] })).result).toBe('')
  })

  it('reach a task whose input names them', async () => {
    const data = await grid.blob(new Uint8Array(3_000_000).fill(3))
    expect(await (await grid.submit(blobs, 'sum', { data })).result).toBe(9_000_000)
  })

  it('may come from a file', async () => {
    const file = join(folder, 'data.txt')
    writeFileSync(file, 'as it stands')
    const data = await grid.blob(file)
    expect(await (await grid.submit(blobs, 'named', data.blob, { blobs: [data] })).result).toBe('as it stands')
  })

  it('are unpacked once for all tasks of a worker', async () => {
    const data = await grid.blob(new Uint8Array(1000).fill(1))
    expect(await (await grid.submit(blobs, 'many', { data, tasks: 50 })).result).toBe(1)
  })

  // A sandbox shows it for both places: the parts of a blob take the same way to a program.
  it.each(place === 'sandbox' ? [[64]] : [])('may have more than %s MiB', { timeout: 60_000 }, async (size) => {
    const bytes = new Uint8Array((size + 1) * 2 ** 20).fill(1, size * 2 ** 20)
    const data = await grid.blob(bytes)
    expect(data.size).toBe(bytes.length)
    // The CID is of a list, not of raw bytes.
    expect(data.blob).toMatch(/^bafirei/u)
    expect(await (await grid.submit(blobs, 'sum', { data })).result).toBe(2 ** 20)
  })

  it('are missing if the job has none of this name, and nothing else is lost', async () => {
    // This member has the blob, but for another job.
    const other = await grid.blob(Uint8Array.of(1))
    const result = await (await grid.submit(blobs, 'catches', other.blob)).result
    expect(result).toEqual({
      code: 'BLOB_MISSING',
      message: `the job has no blob ${other.blob}; it has none`,
      member: 'local',
      tries: 1,
      other: { status: 'fulfilled', value: 1 },
    })
  })

  it('that are missing and not awaited do not end the task', async () => {
    expect(await (await grid.submit(blobs, 'forgets', EMPTY)).result).toBe('still here')
  })

  const wrong = ['../../etc/passwd', '/etc/passwd', { blob: 'file:///etc/passwd' }, { blob: `${EMPTY}/x` }, { blob: 5 }, undefined]
  // A sandbox has the more to lose, so it gets all names.
  it.each((place === 'sandbox' ? wrong : wrong.slice(0, 1)).map((given) => [given]))('are not read by the name %j', async (given) => {
    await expect((await grid.submit(blobs, 'misuses', given)).result).rejects.toMatchObject({
      code: 'TASK_THREW',
      message: expect.stringContaining('CIDv1'),
    })
  })
})

describe('a submission', () => {
  let folder: string
  let grid: LocalGrid

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'jel-blobs-'))
    grid = computeLocal({ workers: 1, cache: folder, limits: { disk: 1 } })
  })

  afterAll(async () => {
    await grid.close()
    rmSync(folder, { recursive: true })
  })

  it('is refused when its input names a blob that is not here', async () => {
    await expect(grid.submit(blobs, 'sum', { deep: [new Map([['data', { blob: EMPTY, size: 0 }]])] })).rejects.toMatchObject({
      code: 'BLOB_MISSING',
      message: expect.stringContaining(EMPTY),
    })
  })

  it('is refused when its blobs exceed the limit of the disk', async () => {
    await expect(grid.blob(new Uint8Array(2 ** 20 + 1))).rejects.toMatchObject({ code: 'BLOB_TOO_LARGE' })
    const [one, two] = [await grid.blob(new Uint8Array(1_000_000).fill(1)), await grid.blob(new Uint8Array(1_000_000).fill(2))]
    await expect(grid.submit(blobs, 'sum', { all: [one, { two }] })).rejects.toMatchObject({ code: 'BLOB_TOO_LARGE' })
    expect(await (await grid.submit(blobs, 'sum', { data: two, again: two })).result).toBe(2_000_000)
  })
})
