/** Runs trials on worker threads, one thread for each trial. */
import { Worker } from 'node:worker_threads'
import type { TrialPlan, TrialResult } from './trial.ts'

/** JavaScript heap of one trial, MB. 2,000 nodes of the distributed implementation take 1.5 GB. */
const heapMB = 6_000

export async function runTrials(
  plans: readonly TrialPlan[],
  threads: number,
  done: (result: TrialResult) => void | Promise<void>,
): Promise<void> {
  const waiting = [...plans]
  const thread = async (): Promise<void> => {
    for (let plan = waiting.shift(); plan !== undefined; plan = waiting.shift()) await done(await runOne(plan))
  }
  await Promise.all(Array.from({ length: Math.min(threads, plans.length) }, thread))
}

async function runOne(plan: TrialPlan): Promise<TrialResult> {
  // Each trial has its own thread. The end of the thread frees its memory.
  const worker = new Worker(new URL('worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: heapMB } })
  try {
    return await new Promise<TrialResult>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (status) => reject(new Error(`the trial of ${plan.contender} in ${plan.experiment} ended with status ${status}`)))
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(plan)
    })
  } finally {
    await worker.terminate()
  }
}
