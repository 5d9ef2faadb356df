import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinPool, type Pool } from '@jel/jel'
import { afterEach, beforeEach } from 'vitest'
import { compute, type ComputeOptions, type Grid } from '../src/index.ts'

/**
 * A pool on loopback. Each test of a file gets a new pool. All its members are gone after the test.
 */
export interface TestPool {
  /** The caches of its members, by their numbers. */
  readonly folder: string
  readonly pools: Pool[]
  readonly grids: Grid[]
  /** Adds a member that computes nothing. */
  readonly join: () => Promise<Pool>
  /** Adds a member of the grid. */
  readonly member: (options?: ComputeOptions) => Promise<Grid>
}

/** Call this at the top of a test file. */
export function testPool(): TestPool {
  let folder: string
  let pools: Pool[]
  let grids: Grid[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'jel-compute-'))
    pools = []
    grids = []
  })
  afterEach(async () => {
    await Promise.all(grids.map(async (grid) => await grid.close()))
    await Promise.all(pools.map(async (pool) => await pool.leave()))
    rmSync(folder, { recursive: true })
  })
  const enter = async (): Promise<Pool> => {
    // Skips members that have left: they have no addresses.
    const bootstrap = pools.find(({ self }) => self.addresses.length > 0)?.self.addresses ?? []
    const pool = await joinPool('compute-test', { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap, location: `node${pools.length}@here` })
    pools.push(pool)
    return pool
  }
  return {
    get folder() {
      return folder
    },
    get pools() {
      return pools
    },
    get grids() {
      return grids
    },
    join: enter,
    async member(options = {}) {
      const pool = await enter()
      // Each member has a cache of its own, as on another machine.
      const grid = await compute(pool, { accept: ['members'], cache: join(folder, String(pools.length - 1)), ...options })
      grids.push(grid)
      return grid
    },
  }
}
