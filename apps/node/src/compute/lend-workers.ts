import type { Grid } from '@jel/compute'
import type { Agent } from '../agent/agent.ts'

/**
 * Leases may begin and end at any time, so the node looks so often which run, ms. A guess: tasks
 * that save stop within two seconds.
 */
const LOOK_AGAIN = 250

/** Takes as many workers away from jobs as others have leased `cpus` of this node. */
export function lendWorkers(
  grid: Pick<Grid, 'reserveWorkers'>,
  { allocator, pool }: Pick<Agent, 'allocator' | 'pool'>,
  workers: number,
): void {
  let lent = 0
  const look = (): void => {
    const leased = Math.min(workers, Math.ceil(allocator.inUse('cpus')))
    if (leased !== lent) grid.reserveWorkers(leased)
    lent = leased
  }
  const timer = setInterval(look, LOOK_AGAIN).unref()
  void pool.closed.then(() => clearInterval(timer))
}
