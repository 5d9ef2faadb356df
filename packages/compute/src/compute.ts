import type { Pool } from '@jel/jel'
import { Grid } from './grid.ts'
import { checkOptions, type ComputeOptions } from './options.ts'

/**
 * Takes part in computing on a pool: runs tasks of the jobs that this member accepts, keeps
 * outcomes of other members, submits jobs and finds them.
 *
 * @param pool stays open when the grid closes
 * @param options default: a member without workers, which submits, and keeps outcomes of others
 * @throws InvalidOptionError, which names the option
 */
export async function compute(pool: Pool, options: ComputeOptions = {}): Promise<Grid> {
  checkOptions(options)
  const grid = new Grid(pool, options)
  await grid.start()
  return grid
}
