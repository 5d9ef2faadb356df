import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Outcome } from '../report/outcome.ts'
import type { Report, Task } from './task.ts'

export interface SweepOptions {
  /** The number of threads. Default: one per processor. */
  readonly workers?: number
  /** The module of the threads. Default: `worker.ts` or `worker.js` beside this module. */
  readonly module?: URL
  /** Ends the threads and rejects the sweep. */
  readonly signal?: AbortSignal
  /** Called with the finished share of all tasks, 0 to 1, and the number of finished tasks. */
  readonly onProgress?: (share: number, done: number) => void
  readonly onOutcome?: (outcome: Outcome) => void
}

/**
 * A run did not end. That is a fault of the simulator or of the simulated code, not a broken
 * promise.
 */
export class SweepError extends Error {
  readonly code = 'SWEEP'
  override readonly name = 'SweepError'
}

/** The heap of a thread. It suffices for 10,000 nodes with full views. */
const heapMegabytes = 8_192

/** Makes all runs in threads, and returns the outcomes in the order of the tasks. */
export async function sweep(tasks: readonly Task[], options: SweepOptions = {}): Promise<Outcome[]> {
  const { workers = availableParallelism(), module = new URL(beside(import.meta.url), import.meta.url), signal } = options
  signal?.throwIfAborted()
  const outcomes: Outcome[] = []
  const shares = tasks.map(() => 0)
  let next = 0
  let done = 0
  const threads: Worker[] = []
  const progress = (): void => options.onProgress?.(shares.reduce((sum, share) => sum + share, 0) / tasks.length, done)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const start = (): void => {
    const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
    threads.push(worker)
    let at = -1
    const give = (): void => {
      const task = tasks[next]
      if (task === undefined) return
      at = next++
      // A thread has no origin.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(task)
    }
    worker.on('message', (report: Report) => {
      if (report.type === 'progress') shares[at] = report.share
      else if (report.type === 'failed') reject(new SweepError(`${name(tasks[at])}: ${report.message}`))
      else {
        outcomes[at] = report.outcome
        shares[at] = 1
        done += 1
        options.onOutcome?.(report.outcome)
        if (done === tasks.length) resolve()
        else give()
      }
      progress()
    })
    worker.on('error', (error) =>
      reject(new SweepError(`${name(tasks[at])}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })),
    )
    give()
  }
  const abort = (): void => reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
  signal?.addEventListener('abort', abort)
  try {
    if (tasks.length === 0) return []
    for (let i = 0; i < Math.min(workers, tasks.length); i++) start()
    await promise
    return outcomes
  } finally {
    signal?.removeEventListener('abort', abort)
    await Promise.all(threads.map(async (worker) => worker.terminate()))
  }
}

function name(task: Task | undefined): string {
  return task === undefined ? 'a run' : `seed ${task.seed} of ${task.scenario.name}`
}

/**
 * Returns the module of the threads. It is TypeScript in the repository and JavaScript in the
 * published package.
 */
function beside(url: string): string {
  return url.endsWith('.ts') ? './worker.ts' : './worker.js'
}
