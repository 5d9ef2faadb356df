import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { computeLocal, type Job, type LocalGrid, type TaskOutput } from '../src/index.ts'
import { OutputLimit } from '../src/executors/output-limit.ts'
import { testPool } from './test-pool.ts'

const program = new TextEncoder().encode(`
console.log('loads')
const rest = (time) => new Promise((resolve) => setTimeout(resolve, time))
export const child = {
  kind: 'task',
  result: undefined,
  run: async (number) => {
    console.log('child', number)
    await rest(20)
    console.error('still child', number)
    return number
  },
}
export const root = {
  kind: 'task',
  result: undefined,
  run: async (children, { run }) => {
    console.log('begins')
    const values = await Promise.all(Array.from({ length: children }, (_, number) => run(child, number)))
    console.info('%s has %d', 'root', values.length, { nested: [1] })
    return values.length
  },
}
export const floods = {
  kind: 'task',
  result: undefined,
  run: async (lines) => {
    for (let line = 0; line < lines; line++) console.log('x'.repeat(1000))
    return 'done'
  },
}
export const forges = {
  kind: 'task',
  result: undefined,
  run: async () => console.log('{"event":"died"}', { [Symbol.for('nodejs.util.inspect.custom')]: (depth, options, inspect) => inspect.constructor }),
}
`)

async function outputOf(job: Job): Promise<TaskOutput[]> {
  const outputs: TaskOutput[] = []
  for await (const output of job.output()) outputs.push(output)
  return outputs
}

const plain = ({ fn, stream, text }: TaskOutput): string => `${fn} ${stream}: ${text}`

describe.each(['own', 'sandbox'] as const)('a program that runs as %s', (place) => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-output-'))
  let grid: LocalGrid
  beforeAll(() => {
    grid = computeLocal({ workers: 2, cache: folder, place })
  })
  afterAll(async () => {
    await grid.close()
    rmSync(folder, { recursive: true })
  })

  it('prints for its tasks, each of which is named', async () => {
    const job = await grid.submit(program, 'root', 3)
    expect(await job.result).toBe(3)
    const output = await outputOf(job)
    expect(output.filter(({ fn }) => fn === undefined).map(({ text }) => text)).toContain('loads\n')
    expect(
      output
        .filter(({ fn }) => fn !== undefined)
        .map(plain)
        .toSorted(),
    ).toEqual([
      ...[0, 1, 2].map((number) => `child stderr: still child ${number}\n`),
      ...[0, 1, 2].map((number) => `child stdout: child ${number}\n`),
      'root stdout: begins\n',
      'root stdout: root has 3 { nested: [ 1 ] }\n',
    ])
    const paths = new Set(output.filter(({ fn }) => fn === 'child').map(({ task }) => task))
    expect([...paths].map((path) => path?.length)).toEqual([10, 10, 10])
  })

  it('may print without end: most is left out, and the output says so', async () => {
    const job = await grid.submit(program, 'floods', 100_000)
    expect(await job.result).toBe('done')
    const text = (await outputOf(job)).map((each) => each.text).join('')
    expect(text.length).toBeLessThan(70_000)
    expect(text).toContain('more output is left out')
  })

  it('prints text only, and gets no class of the process from what it prints', async () => {
    const job = await grid.submit(program, 'forges')
    await job.result
    const text = (await outputOf(job)).find(({ fn }) => fn === 'forges')?.text
    expect(text).toContain('{"event":"died"}')
    if (place === 'sandbox') expect(text).toContain('Symbol(nodejs.util.inspect.custom): [Function')
  })
})

const test = testPool()

it('every member finds the output of a job, also a member that came later, and of a job that has ended', async () => {
  const first = await test.member({ workers: 1 })
  for (let number = 0; number < 2; number++) await test.member({ workers: 1 })
  const job = await first.submit(program, 'root', 12)
  const followed: TaskOutput[] = []
  for await (const output of job.output({ follow: true })) followed.push(output)
  expect(await job.result).toBe(12)
  const children = (output: readonly TaskOutput[]): string[] =>
    output
      .filter(({ fn }) => fn === 'child')
      .map(plain)
      .toSorted()
  expect(children(followed)).toHaveLength(24)
  const late = await test.member({ visits: true })
  await expect.poll(() => late.jobs().map(({ id }) => id)).toEqual([job.id])
  expect(children(await outputOf(late.job(job.id)))).toEqual(children(followed))
})

it('a member shares the rate of output with members that have workers, not with others', async () => {
  const worker = await test.member({ workers: 1 })
  for (let number = 0; number < 2; number++) await test.member()
  await expect.poll(() => test.pools.map((pool) => pool.members().length)).toEqual([3, 3, 3])
  const pass = vi.spyOn(OutputLimit.prototype, 'pass')
  try {
    await (
      await worker.submit(program, 'root', 1)
    ).result
    // The member limits the output of the program, and then its part of the output of the job.
    await expect.poll(() => pass.mock.contexts.map((limit) => (limit as OutputLimit).rate)).toContain(65_536)
  } finally {
    pass.mockRestore()
  }
})
