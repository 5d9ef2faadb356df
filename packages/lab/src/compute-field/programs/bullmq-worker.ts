/** A worker of BullMQ, which runs one task at a time by default. */
import { serve } from '../../base/remote.ts'
import { load } from './packages.ts'
import { connectionTo, QUEUE, type BullMQ, type WorkerTimes } from './bullmq.ts'
import { work } from './work.ts'

const worker = {
  async enter({ port, times }: { readonly port: number; readonly times: WorkerTimes }): Promise<void> {
    const { Worker } = load('bullmq') as BullMQ
    const started = new Worker(QUEUE, async ({ data }) => await work(data), { ...connectionTo(port), ...times })
    // The worker emits errors when redis is gone, which is part of the experiment.
    started.on('error', () => {})
    await started.waitUntilReady()
  },
}

export type BullmqWorker = typeof worker

serve(worker)
