import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeLocal, type LocalGrid, type SweepOutcome } from '../src/index.ts'
import { collectGarbage } from './garbage.ts'
import { testPool } from './test-pool.ts'

let folder: string
let file: string
let grid: LocalGrid

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-map-'))
  file = join(folder, 'model.ts')
  writeFileSync(
    file,
    `import { task } from '@jel/compute/program'
export function square(n: number): number {
  if (n === 3) throw new RangeError('no threes', { cause: new Error('bad luck') })
  return n * n
}
export const cube = task((n: number) => n ** 3)
let tries = 0
export const flaky = (): number => {
  if (++tries < 3) throw new Error('not yet')
  return tries
}
export const scaled = (n: number, scale = 10): number => n * scale
export const limit = 3
`,
  )
  grid = computeLocal({ workers: 1, cache: folder })
})

afterAll(async () => {
  await grid.close()
  rmSync(folder, { recursive: true })
})

it.each([
  ['any function', 'square', [1, 2, 4], [1, 4, 16]],
  ['a task', 'cube', [1, 2, 3], [1, 8, 27]],
  ['equal inputs', 'cube', [2, 2], [8, 8]],
  ['a function with another parameter', 'scaled', [1, 2], [10, 20]],
  ['no input', 'cube', [], []],
])('a sweep over %s gives the values in the order of the inputs', async (_, fn, inputs, values) => {
  expect(await (await grid.map(file, fn, inputs)).result).toEqual(values)
})

it('a sweep fails with its first failure, which names the input', async () => {
  const job = await grid.map(file, 'square', [1, 3])
  await expect(job.result).rejects.toMatchObject({
    code: 'TASK_THREW',
    message: 'no threes',
    fn: 'square',
    input: '3',
    remoteCause: 'bad luck',
  })
})

it('a sweep that keeps going has the failures beside the values', async () => {
  const job = await grid.map(file, 'square', [2, 3], { keepGoing: true })
  expect(await job.result).toEqual([
    { status: 'fulfilled', value: 4 },
    {
      status: 'rejected',
      reason: {
        code: 'TASK_THREW',
        message: 'no threes',
        member: 'local',
        tries: 1,
        task: expect.stringMatching(/./u),
        fn: 'square',
        input: '3',
        cause: 'bad luck',
      },
    },
  ])
})

it('a sweep tries failed inputs again', async () => {
  expect(await (await grid.map(file, 'flaky', [0], { retries: 2 })).result).toEqual([3])
})

describe('the values of a sweep', () => {
  const pause = `import { setTimeout } from 'node:timers/promises'
export const wait = async (ms) => (await setTimeout(ms), ms)
export const odd = async (ms) => {
  await setTimeout(ms)
  if (ms > 100) throw new Error('too long')
  return ms
}
`
  const { member } = testPool()

  it('come as they are there, in a pool as well, each once', async () => {
    writeFileSync(join(folder, 'pause.js'), pause)
    await member({ workers: 2 })
    const submitter = await member()
    const sweep = await submitter.map(join(folder, 'pause.js'), 'wait', [4000, 10, 20, 10])
    const came: [number, unknown][] = []
    let atFirst: unknown
    for await (const { index, ...outcome } of sweep.asCompleted()) {
      atFirst ??= sweep.state
      came.push([index, 'value' in outcome ? outcome.value : undefined])
    }
    expect(atFirst).not.toBe('done')
    expect(came).toHaveLength(4)
    expect(came.slice(0, 3).sort(([a], [b]) => a - b)).toEqual([
      [1, 10],
      [2, 20],
      [3, 10],
    ])
    expect(came[3]).toEqual([0, 4000])
  })

  it('come with the failures if it keeps going, and all come that were left at the end', async () => {
    writeFileSync(join(folder, 'pause.js'), pause)
    const sweep = await grid.map(join(folder, 'pause.js'), 'odd', [1, 101, 2], { keepGoing: true })
    const came: SweepOutcome[] = []
    for await (const outcome of sweep.asCompleted()) came.push(outcome)
    expect(came.sort((a, b) => a.index - b.index)).toEqual([
      { index: 0, status: 'fulfilled', value: 1 },
      { index: 1, status: 'rejected', reason: expect.objectContaining({ message: 'too long', fn: 'odd', input: '101' }) },
      { index: 2, status: 'fulfilled', value: 2 },
    ])
  })

  it('are those of the result for equal inputs, too, whatever the caller does to its list', async () => {
    writeFileSync(join(folder, 'draw.js'), `${pause}export const draw = async (ms) => (await wait(ms), Math.random())`)
    const inputs = [3000, 1, 1, 1]
    const sweep = await grid.map(join(folder, 'draw.js'), 'draw', inputs)
    inputs.reverse()
    const came: unknown[] = []
    for await (const outcome of sweep.asCompleted()) came[outcome.index] = 'value' in outcome ? outcome.value : undefined
    const result = (await sweep.result) as unknown[]
    expect(came).toEqual(result)
    expect(new Set(result).size).toBe(4)
  })

  it('that came before the failure of the sweep stay', async () => {
    writeFileSync(join(folder, 'pause.js'), pause)
    const sweep = await grid.map(join(folder, 'pause.js'), 'odd', [3000, 1])
    const came: SweepOutcome[] = []
    const reading = (async () => {
      for await (const outcome of sweep.asCompleted()) came.push(outcome)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'TASK_THREW' })
    expect(came).toEqual([{ index: 1, status: 'fulfilled', value: 1 }])
  })
})

it('a sweep is not forgotten while somebody holds it', async () => {
  const sweep = await grid.map(file, 'cube', [1])
  await sweep.result
  for (let round = 0; round < 5; round++) {
    collectGarbage()
    await setTimeout(10)
  }
  expect(sweep.state).toBe('done')
  expect(await sweep.result).toEqual([1])
})

it('a sweep over nothing that can be called is refused', async () => {
  for (const fn of ['limit', 'sphere'])
    await expect(grid.map(file, fn, [1])).rejects.toMatchObject({
      code: 'PROGRAM_UNUSABLE',
      message: expect.stringContaining(`no function ${fn}`),
    })
  await expect(grid.map(file, 'cube', [1], { retries: -1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})
