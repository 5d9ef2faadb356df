import { arch, availableParallelism, platform, totalmem } from 'node:os'
import { compute, type TaskLimits } from '@jel/compute'
import { join, type JoinFlags } from '../join.ts'
import { workedText, workingText } from './job-text.ts'
import { lendWorkers } from './lend-workers.ts'
import { ownerOf } from './owner.ts'

export interface WorkFlags extends JoinFlags {
  readonly workers?: number
  readonly accept: readonly string[]
  readonly limit: Partial<TaskLimits>
  readonly tickets?: Readonly<Record<string, number>>
  readonly owner?: string
  readonly showOutput?: boolean
}

/** Joins a pool as `jel join` does, and runs its jobs. */
export async function work(pool: string, flags: WorkFlags): Promise<number> {
  const owner = await ownerOf(flags.owner)
  const { limit: limits, tickets, admin: admins, workers = availableParallelism() } = flags
  const accept = flags.accept.length === 0 ? undefined : flags.accept
  return await join(pool, flags, async (agent, note) => {
    // Requirements of jobs are conditions over these.
    await agent.monitor.constant({
      'system.cpu.logical.count': availableParallelism(),
      'system.memory.limit': totalmem(),
      'host.arch': arch(),
      'os.type': platform(),
    })
    const state = flags.identity === undefined ? {} : { state: `${flags.identity}.jobs` }
    const grid = await compute(agent.pool, {
      workers,
      limits,
      owner,
      admins,
      ...state,
      ...(accept && { accept }),
      ...(tickets && { tickets }),
    })
    grid.addEventListener('warning', ({ detail: { code, message, job } }) => {
      agent.report({ event: 'error', code, message: job === undefined ? message : `job ${job}: ${message}` })
    })
    if (flags.showOutput === true) grid.addEventListener('output', ({ detail }) => agent.report({ event: 'output', ...detail }))
    grid.addEventListener('working', ({ detail }) => note(workingText(detail)))
    grid.addEventListener('worked', ({ detail }) => note(workedText(detail)))
    if (flags.offer?.['cpus'] !== undefined) lendWorkers(grid, agent, workers)
    return grid
  })
}
