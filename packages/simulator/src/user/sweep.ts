import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Outcome, Report, Task } from './task.ts'

export interface SweepOptions {
  /** Threads. Default: one a processor. */
  readonly workers?: number
  /** The module that the threads run. Default: the one beside this. */
  readonly module?: URL
  /** Ends the threads; the sweep is rejected. */
  readonly signal?: AbortSignal
  /** All tasks together, 0 to 1, and how many are done. */
  readonly onProgress?: (share: number, done: number) => void
  readonly onOutcome?: (outcome: Outcome) => void
}

/** A run did not come to an end: a fault of the simulator or of what it runs, not a broken promise. */
export class SweepError extends Error {
  readonly code = 'SWEEP'
  override readonly name = 'SweepError'
}

/** For 10,000 nodes with whole views. */
const heapMegabytes = 8_192

/** Makes all runs, on as many threads as told, and returns what came of them in the order of the tasks. */
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
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
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

/** The module is a source here and compiled where it was published. */
function beside(url: string): string {
  return url.endsWith('.ts') ? './worker.ts' : './worker.js'
}
