import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeLocal, type LocalGrid } from '../src/index.ts'
import { collectGarbage } from './garbage.ts'

const various = join(import.meta.dirname, 'programs/various.ts')
const spaces = join(import.meta.dirname, 'programs/spaces.ts')
const folder = mkdtempSync(join(tmpdir(), 'jel-compute-'))
let grid: LocalGrid

beforeAll(() => {
  grid = computeLocal({ workers: 2, cache: folder, limits: { time: 1000 } })
})

afterAll(async () => {
  await grid.close()
  rmSync(folder, { recursive: true })
})

async function resultOf(program: string, fn: string, input?: unknown): Promise<unknown> {
  return (await grid.submit(program, fn, input)).result
}

describe('programs on this machine', () => {
  it.each([
    ['a tree of tasks', various, 'queens', 6, 4],
    ['one task with many children', various, 'flat', { tasks: 100, ms: 0 }, 4950],
    ['a task that waits for something else', various, 'sleeps', 20, 'rested'],
    ['a task that catches what its child throws', various, 'catches', undefined, 'caught: no such luck'],
    ['a space that is searched until something is found', spaces, 'find', undefined, 12_648_430],
    ['a space whose pieces unite', spaces, 'sum', undefined, 44_999_850_000n],
    ['a space of two dimensions', spaces, 'area', undefined, 3000],
    ['a part of a space', spaces, 'sum', [[10n, 20n]], 145n],
    ['a driver', spaces, 'squares', 4, { sum: 0 + 1 + 4 + 9 + 16, results: 5 }],
    ['a union', spaces, 'collects', 9, [1, 2, 3]],
  ])('%s', async (_, program, fn, input, expected) => {
    expect(await resultOf(program, fn, input)).toEqual(expected)
  })

  it('yield the best offer as their result, the same each time', async () => {
    const found = (await resultOf(spaces, 'search', 4)) as { cost: number }
    expect(found.cost).toBeGreaterThan(0)
    expect(await resultOf(spaces, 'search', 4)).toEqual(found)
  })

  it('preserve the types that a structured clone preserves', async () => {
    const value = {
      map: new Map([[1, { a: 2n ** 70n }]]),
      set: new Set(['x']),
      date: new Date(5),
      bytes: new Uint8Array([1, 2]),
      floats: new Float64Array([0.5]),
      nothing: undefined,
      none: null,
    }
    expect(await resultOf(various, 'echo', value)).toEqual(value)
  })

  it('draw other random numbers in each task and each job, and know their job', async () => {
    const job = await grid.submit(various, 'chances')
    const [drawn, of] = (await job.result) as [number[], string]
    expect(new Set(drawn).size).toBe(4)
    expect(of).toBe(job.id)
    const [others] = (await resultOf(various, 'chances')) as [number[], string]
    expect(new Set([...drawn, ...others]).size).toBe(8)
  })
})

describe('a failure is reported with its cause', () => {
  it.each([
    ['throws', 'TASK_THREW', /no such luck/u],
    ['givesFunction', 'VALUE_UNCLONABLE', /function/u],
    ['givesMuch', 'VALUE_TOO_LARGE', /16777216/u],
    ['givesPromise', 'VALUE_UNCLONABLE', /await it first/u],
    ['never', 'TASK_POISONOUS', /set apart: .*: it ran for more than 1000 ms/u],
    ['exits', 'TASK_POISONOUS', /set apart: .*: its process ended with status 3/u],
    ['callsHidden', 'FUNCTION_MISSING', /must export/u],
  ])('%s fails with %s', async (fn, code, message) => {
    await expect(resultOf(various, fn)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('a task that hoards memory is ended', async () => {
    await using small = computeLocal({ workers: 1, cache: folder, limits: { time: 20_000, memory: 32 } })
    const job = await small.submit(various, 'hoards')
    await expect(job.result).rejects.toMatchObject({
      code: 'TASK_POISONOUS',
      message: expect.stringContaining('more memory than a task may take'),
    })
  })

  it.each([
    ['the task', 'throws'],
    ['a child of the task', 'passesOn'],
  ])('an error has the stack of the program if %s threw', async (_, fn) => {
    await expect(resultOf(various, fn)).rejects.toMatchObject({
      member: 'local',
      tries: 1,
      remoteStack: expect.stringMatching(/^RangeError: no such luck\n    at various\.ts:50:9$/u),
    })
  })

  it('a job with too many waiting children fails', async () => {
    await using patient = computeLocal({ workers: 1, cache: folder })
    const job = await patient.submit(various, 'wide', 65_537)
    await expect(job.result).rejects.toMatchObject({
      code: 'JOB_TOO_WIDE',
      message: expect.stringContaining('a space cuts'),
    })
  })

  it.each([
    ['a file that is not there', 'nowhere.ts', undefined, /there is no program/u],
    ['a module that does not parse', 'broken.ts', 'export const = 1', /broken\.ts/u],
    ['a module that throws', 'throwing.ts', 'throw new Error("not today")', /not today/u],
    ['an import that is not there', 'lonely.ts', 'import x from "./nobody.ts"; export { x }', /nobody/u],
  ])('%s', async (_, name, text, message) => {
    const file = join(folder, name)
    if (text !== undefined) writeFileSync(file, text)
    await expect(grid.submit(file, 'x')).rejects.toMatchObject({ code: 'PROGRAM_UNUSABLE', message: expect.stringMatching(message) })
  })

  it('a program that is gone before it can start', async () => {
    const cache = join(folder, 'emptied')
    await using local = computeLocal({ workers: 1, cache })
    await (
      await local.submit(various, 'echo', 1)
    ).result
    const job = await local.submit(spaces, 'area')
    for (const name of readdirSync(cache)) if (name.endsWith('.mjs')) rmSync(join(cache, name))
    await expect(job.result).rejects.toMatchObject({
      code: 'PROGRAM_UNUSABLE',
      message: expect.stringContaining('not on this machine any more'),
    })
    expect(await (await local.submit(various, 'echo', 2)).result).toBe(2)
  })

  it('an error about a missing function lists the existing ones', async () => {
    await expect(grid.submit(spaces, 'nothing')).rejects.toMatchObject({
      code: 'FUNCTION_MISSING',
      message: expect.stringContaining('collects, find'),
    })
  })

  it('a task begins again if its machine is to blame, and fails in the end, but not its siblings', async () => {
    const file = join(folder, 'full.ts')
    writeFileSync(
      file,
      `import { readFileSync, appendFileSync } from 'node:fs'
import { task } from '@jel/compute/program'
export const full = task(({ runs, faults }: { runs: string; faults: number }) => {
  appendFileSync(runs, '.')
  if (readFileSync(runs, 'utf8').length > faults) return 'done'
  throw Object.assign(new Error('no space left'), { code: 'ENOSPC', [Symbol.for('jel.compute/machine-fault')]: true })
})
export const each = task(async (inputs: { runs: string; faults: number }[], { run }) =>
  (await Promise.allSettled(inputs.map((input) => run(full, input)))).map((end) => end.status === 'fulfilled' ? end.value : end.reason.code))
`,
    )
    const inputs = [0, 100, 0].map((faults, index) => ({ runs: join(folder, `each${index}`), faults }))
    expect(await resultOf(file, 'each', inputs)).toEqual(['done', 'ENOSPC', 'done'])
    expect(await resultOf(file, 'full', { runs: join(folder, 'once'), faults: 1 })).toBe('done')
    await expect(resultOf(file, 'full', { runs: join(folder, 'always'), faults: 100 })).rejects.toMatchObject({
      code: 'ENOSPC',
      message: 'no space left',
    })
  })

  it('a job that has ended keeps only its outcome', async () => {
    const job = await grid.submit(various, 'flat', { tasks: 10, ms: 0 })
    expect(await job.result).toBe(45)
    expect([job.state, await job.result]).toEqual(['done', 45])
    // The job never expires.
    expect(job.expires.toISOString()).toBe('+275760-09-13T00:00:00.000Z')
    expect(grid.source.published(job.id)?.input).toBeUndefined()
    await job.cancel()
    expect(job.state).toBe('done')
  })

  it('a job that has ended is forgotten once nobody holds it', async () => {
    const run = async (): Promise<string> => {
      const job = await grid.submit(various, 'flat', { tasks: 10, ms: 0 })
      await job.result
      return job.id
    }
    const ids = await Promise.all([run(), run()])
    await expect
      .poll(() => {
        collectGarbage()
        return ids.map((id) => [grid.source.published(id), grid.source.status(id)])
      })
      .toEqual(ids.map(() => [undefined, undefined]))
  })

  it('a failing job leaves other jobs alone', async () => {
    const [failed, done] = await Promise.allSettled([resultOf(various, 'never'), resultOf(various, 'queens', 7)])
    expect([failed.status, done]).toEqual(['rejected', { status: 'fulfilled', value: 40 }])
  })
})
