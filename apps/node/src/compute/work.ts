import { availableParallelism } from 'node:os'
import { compute } from '@jel/compute'
import { join, type JoinFlags } from '../join.ts'
import { ownerOf } from './owner.ts'

export interface WorkFlags extends JoinFlags {
  readonly workers?: number
  readonly accept: readonly string[]
  /** ms a task */
  readonly timeLimit?: number
  /** MiB a task */
  readonly memoryLimit?: number
  readonly owner?: string
}

/** Joins a pool as `jel join` does, and runs its jobs. */
export async function work(pool: string, flags: WorkFlags): Promise<number> {
  const owner = await ownerOf(flags.owner)
  const { timeLimit, memoryLimit, workers = availableParallelism() } = flags
  const limits = { ...(timeLimit !== undefined && { time: timeLimit }), ...(memoryLimit !== undefined && { memory: memoryLimit }) }
  const accept = flags.accept.length === 0 ? ['own'] : flags.accept
  return await join(pool, flags, async (entered, report) => {
    const grid = await compute(entered, { workers, accept, limits, owner })
    grid.addEventListener('warning', ({ detail: { code, message, job } }) => {
      report({ event: 'error', code, message: job === undefined ? message : `job ${job}: ${message}` })
    })
    return grid
  })
}
