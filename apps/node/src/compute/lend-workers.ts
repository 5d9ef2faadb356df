import type { Grid } from '@jel/compute'
import type { Agent } from '../agent/agent.ts'

/**
 * The interval at which the node looks for running leases, ms. Leases begin and end at any time. A
 * guess: a task that saves its state stops within two seconds.
 */
const LOOK_AGAIN = 250

/** Takes a worker away from jobs for each of this node's `cpus` that others have leased now. */
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
