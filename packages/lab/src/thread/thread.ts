/**
 * Measures the cost of a node in a worker thread, beside a node in the main thread. The figures are
 * start, memory, delay of a signal, and throughput of a stream. Each measurement has a new process.
 * The kinds take turns.
 */
import { markdownTable } from '../base/markdown.ts'
import { median } from '../base/quantiles.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import type { Costs, Subject } from './subject.ts'

const THREADS = ['main', 'worker'] as const
const NAMES: readonly (keyof Costs)[] = ['start ms', 'memory MiB', 'signal ms', 'stream MiB/s']

/** Makes one measurement. The peer runs in the main thread of a separate process. */
async function measure(thread: (typeof THREADS)[number]): Promise<Costs> {
  const start = (): RemoteProcess<Subject> => startRemote(new URL('subject.ts', import.meta.url))
  const [subject, peer] = [start(), start()]
  const costs = await subject.remote.measure(thread, await peer.remote.receive())
  for (const { child } of [subject, peer]) child.kill()
  return costs
}

export const experiment = bench({
  about: 'a node in a worker thread beside one in the main thread',
  settings: { runs: whole(5, 'processes of each kind') },
  async measure({ runs }) {
    const all: Record<(typeof THREADS)[number], Costs>[] = []
    for (let run = 0; run < runs; run++) all.push({ main: await measure('main'), worker: await measure('worker') })
    return all
  },
  table: (runs) =>
    markdownTable(
      ['', 'main', 'worker', 'worker / main'],
      NAMES.map((name) => {
        const [main, worker] = THREADS.map((thread) => median(runs.map((run) => run[thread][name]))) as [number, number]
        return [name, ...[main, worker, worker / main].map((value) => value.toFixed(2))]
      }),
    ),
})
