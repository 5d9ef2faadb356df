import { readdirSync, rmSync, writeFileSync, cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinPool, type Pool } from '@jel/jel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compute, type Grid } from '../src/index.ts'

const various = join(import.meta.dirname, 'programs/various.ts')

let folder: string
let pools: Pool[]
let grids: Grid[]
let warnings: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-night-'))
  ;[pools, grids, warnings] = [[], [], []]
})
afterEach(async () => {
  await allOff()
  rmSync(folder, { recursive: true })
})

async function allOff(): Promise<void> {
  await Promise.all(grids.splice(0).map(async (grid) => await grid.close()))
  await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))
}

/** Starts the member of this name, with its identity and state. */
async function member(name: string, workers = 1, poolName = 'night'): Promise<Grid> {
  const bootstrap = pools[0]?.self.addresses ?? []
  const pool = await joinPool(poolName, { listen: ['127.0.0.1:0'], bootstrap, location: `${name}@here`, identityFile: join(folder, name) })
  pools.push(pool)
  const grid = await compute(pool, { workers, accept: ['members'], state: join(folder, `${name}.jobs`) })
  grid.addEventListener('warning', ({ detail: { code, job } }) => {
    if (code.startsWith('STATE')) warnings.push(`${code} ${job}`)
  })
  grids.push(grid)
  return grid
}

const outcomes = (name: string): string => join(folder, `${name}.jobs`, 'outcomes')

/** Submits a job of 40 tasks. All members go off when half of it is done. Returns the id. */
async function halfDone(): Promise<string> {
  const a = await member('a')
  await member('b')
  const job = await a.submit(various, 'flat', { tasks: 40, ms: 100 }, { name: 'long' })
  await expect.poll(() => a.job('long').state, { timeout: 10_000 }).toBe('active')
  for await (const { covered } of job.progress(100)) if (covered > 0.5) break
  await allOff()
  return job.id
}

describe('a pool whose members were all off', () => {
  it('goes on with a job where it was, with its date, though only one member comes back', { timeout: 60_000 }, async () => {
    await halfDone()
    const b = await member('b')
    const job = b.job('long')
    expect(Date.now() - job.submitted.getTime()).toBeGreaterThan(1000)
    let tasks = 0
    b.addEventListener('worked', ({ detail }) => (tasks = detail.tasks))
    expect(await job.result).toBe(780)
    await expect.poll(() => tasks).toBeGreaterThan(0)
    // The root, the other half, and the tasks of the last second.
    expect(tasks).toBeLessThan(35)
    expect(warnings).toEqual([])
  })

  it('still has the result of a job that had ended, without workers', { timeout: 60_000 }, async () => {
    const a = await member('a')
    const b = await member('b')
    const job = await a.submit(various, 'queens', 6, { name: 'over' })
    await expect.poll(() => b.jobs().length).toBe(1)
    expect(await b.job('over').result).toBe(4)
    await allOff()
    expect(readdirSync(outcomes('b'))).toEqual([job.id])
    const again = await member('b', 0)
    expect(again.job('over').state).toBe('done')
    expect(await again.job('over').result).toBe(4)
  })

  it('ends a job rightly if a file is noise, and if a file belongs to another member or pool', { timeout: 60_000 }, async () => {
    const id = await halfDone()
    writeFileSync(join(outcomes('a'), id), new Uint8Array(100_000).fill(42))
    const a = await member('a')
    await expect.poll(() => warnings).toEqual([`STATE ${id}`])
    expect(await a.job('long').result).toBe(780)
    await allOff()
    // A member of another pool has a file of this pool.
    const other = await member('c', 1, 'other night')
    const { id: same } = await other.submit(various, 'queens', 6)
    await other.job(same).result
    await allOff()
    rmSync(join(outcomes('c'), same), { force: true })
    cpSync(join(outcomes('a'), id), join(outcomes('c'), same))
    warnings = []
    const again = await member('c', 1, 'other night')
    await expect.poll(() => warnings).toEqual([`STATE ${same}`])
    expect(await again.job(same).result).toBe(4)
  })
})
