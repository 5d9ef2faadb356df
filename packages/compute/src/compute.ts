import type { Pool } from '@jel/jel'
import { Grid } from './grid.ts'
import { checkOptions, type ComputeOptions } from './options.ts'

/**
 * Takes part in computing on a pool. Runs tasks of the jobs that this member accepts, keeps
 * outcomes of other members, submits jobs and finds them.
 *
 * @param pool the pool; it stays open when the grid closes
 * @param options default: a member without workers. It submits jobs, and keeps outcomes of others.
 * @throws InvalidOptionError that names the option
 */
export async function compute(pool: Pool, options: ComputeOptions = {}): Promise<Grid> {
  checkOptions(options)
  const grid = new Grid(pool, options)
  await grid.start()
  return grid
}
