import type { Pool } from '@jel/jel'
import { Grid, type ComputeOptions } from './grid.ts'

/**
 * Takes part in computing on a pool: runs tasks of jobs that are accepted, keeps what others computed, submits jobs and finds them.
 */
export async function compute(pool: Pool, options: ComputeOptions = {}): Promise<Grid> {
  const grid = new Grid(pool, options)
  await grid.start()
  return grid
}
