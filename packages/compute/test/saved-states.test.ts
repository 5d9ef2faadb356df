import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import { computeLocal, type Grid } from '../src/index.ts'
import { testPool } from './test-pool.ts'

const program = join(import.meta.dirname, 'programs/saves.ts')
const test = testPool()

const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [])
/** The steps that ran. */
const logOf = (file: string): string[] => linesOf(file).filter((line) => !line.startsWith('@'))
/** The steps with which the runs of a task began. */
const beginsOf = (file: string): number[] => linesOf(file).flatMap((line) => (line.startsWith('@') ? [Number(line.slice(1))] : []))
/** The steps that ran more often than once. */
const repeated = (file: string): string[] => logOf(file).filter((step, at, all) => all.indexOf(step) < at)

/** A submitter, and members with one worker each. */
async function workers(count: number): Promise<{ readonly submitter: Grid; readonly members: Grid[] }> {
  const submitter = await test.member()
  const members: Grid[] = []
  for (let member = 0; member < count; member++) members.push(await test.member({ workers: 1 }))
  await expect.poll(() => submitter.source.replicas('any').length).toBeGreaterThan(2)
  return { submitter, members }
}

/** Waits until a task has run some steps. Returns the index of the worker at which it runs. */
async function holderOf(members: readonly Grid[], log: string, steps: number): Promise<number> {
  await expect.poll(() => logOf(log).length, { timeout: 20_000 }).toBeGreaterThan(steps)
  const busy = await Promise.all(members.map(async (member) => (await member.figures()).busy))
  expect(busy.toSorted((a, b) => a - b)).toEqual(members.map((_, at) => Number(at === members.length - 1)))
  return busy.indexOf(1)
}

describe('a task that saves', () => {
  it('goes on at another member after its member was killed, and repeats two seconds of work at most', { timeout: 60_000 }, async () => {
    const { submitter, members } = await workers(3)
    const log = join(test.folder, 'log')
    const job = await submitter.submit(program, 'sum', { steps: 50, ms: 100, log })
    const at = await holderOf(members, log, 35)
    // The member stops as if it were killed, so it hands nothing on.
    await (test.pools[at + 1] as Pool).libp2p.stop()
    expect(await job.result).toBe((49 * 50) / 2)
    // The process of the killed member runs on in this test. So only the begin of the next run
    // shows how much it repeats: two seconds of work, and half as much again on a busy machine.
    const [first, second = 0] = beginsOf(log)
    expect(first).toBe(0)
    expect(second).toBeGreaterThan(5)
  })

  it('repeats no step if its member leaves', { timeout: 60_000 }, async () => {
    const { submitter, members } = await workers(3)
    const log = join(test.folder, 'log')
    const job = await submitter.submit(program, 'parent', { steps: 25, ms: 100, log })
    const at = await holderOf(members, log, 6)
    let isClosed = false
    void (members[at] as Grid).close().then(() => (isClosed = true))
    // A second call waits for the last states as well.
    await (members[at] as Grid).close()
    expect(isClosed).toBe(true)
    await (test.pools[at + 1] as Pool).leave()
    expect(await job.result).toBe((24 * 25) / 2)
    expect(repeated(log)).toEqual([])
    expect(logOf(log)).toHaveLength(25)
  })

  it('may save only once it must stop', { timeout: 60_000 }, async () => {
    const { submitter, members } = await workers(3)
    const log = join(test.folder, 'log')
    const job = await submitter.submit(program, 'late', { steps: 25, ms: 100, log })
    const at = await holderOf(members, log, 6)
    await (members[at] as Grid).close()
    await (test.pools[at + 1] as Pool).leave()
    expect(await job.result).toBe('done')
    expect(repeated(log)).toEqual([])
  })

  it.each(['own', 'sandbox'] as const)('goes on after its process was killed for its time: %s', async (place) => {
    const source = `import { task } from '@jel/compute/program'
export const hangs = task(async (_, { saved, save }) => {
  if (saved !== undefined) return saved
  await save({ from: 'before', at: new Date(5) })
  for (;;);
})`
    writeFileSync(join(test.folder, 'hangs.ts'), source)
    await using grid = computeLocal({ workers: 1, place, limits: { time: 500 }, cache: join(test.folder, 'cache') })
    const job = await grid.submit(join(test.folder, 'hangs.ts'), 'hangs', undefined)
    expect(await job.result).toEqual({ from: 'before', at: new Date(5) })
  })
})

describe('an array in pieces', () => {
  it.each([
    [4, 8],
    [8, 6],
  ])('goes on in another number of pieces after its member has left, and the result is the same: %i, then %i', async (before, after) => {
    const { submitter, members } = await workers(2)
    const [log, pieces] = [join(test.folder, 'log'), join(test.folder, 'pieces')]
    const input = { size: 1000, rounds: 60, pieces, log }
    writeFileSync(pieces, String(before))
    const job = await submitter.submit(program, 'heat', input)
    await expect.poll(() => logOf(log).length, { timeout: 10_000 }).toBeGreaterThan(10)
    writeFileSync(pieces, String(after))
    await test.member({ workers: 2 })
    for (const [at, member] of members.entries()) {
      await member.close()
      await (test.pools[at + 1] as Pool).leave()
    }
    const result = await job.result
    await using local = computeLocal({ workers: 2, cache: join(test.folder, 'cache') })
    writeFileSync(pieces, '5')
    const expected = await (await local.submit(program, 'heat', { ...input, log: join(test.folder, 'other') })).result
    expect(result).toBe(expected)
    const counts = logOf(log).map((line) => Number(line.split(':')[1]))
    expect(counts[0]).toBe(before)
    expect(counts.at(-1)).toBe(after)
    // A run that began again from the start would cut each round twice.
    expect(repeated(log).length).toBeLessThan(3)
  })
})
