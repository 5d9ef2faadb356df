import type { Pool } from '@jel/jel'
import { Grid, type ComputeOptions } from './grid.ts'
import { checkOptions } from './options.ts'

/**
 * Takes part in computing on a pool: runs tasks of jobs that are accepted, keeps what others computed, submits jobs and finds them.
 *
 * @throws InvalidOptionError, which names the option
 */
export async function compute(pool: Pool, options: ComputeOptions = {}): Promise<Grid> {
  checkOptions(options)
  const grid = new Grid(pool, options)
  await grid.start()
  return grid
}
