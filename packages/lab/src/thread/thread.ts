/**
 * Measures the cost of a node in a worker thread, beside one in the main thread: start, memory,
 * delay of a signal, throughput of a stream. One fresh process a measurement, in turn.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { markdownTable } from '../base/markdown.ts'
import { quantile } from '../base/quantiles.ts'
import { whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import type { Costs } from './subject.ts'

const SUBJECT = fileURLToPath(new URL('subject.ts', import.meta.url))
const NAMES: readonly (keyof Costs)[] = ['start ms', 'memory MiB', 'signal ms', 'stream MiB/s']

function measure(thread: 'main' | 'worker'): Costs {
  return JSON.parse(execFileSync(process.execPath, [SUBJECT, thread], { encoding: 'utf8' })) as Costs
}

export const experiment = bench({
  about: 'a node in a worker thread beside one in the main thread',
  settings: { runs: whole(5, 'processes of each kind') },
  measure: ({ runs }) => Array.from({ length: runs }, () => ({ main: measure('main'), worker: measure('worker') })),
  table: (runs) =>
    markdownTable(
      ['', 'main', 'worker', 'worker / main'],
      NAMES.map((name) => {
        const [main, worker] = (['main', 'worker'] as const).map((thread) =>
          quantile(
            runs.map((run) => run[thread][name]),
            0.5,
          ),
        ) as [number, number]
        return [name, main.toFixed(2), worker.toFixed(2), (worker / main).toFixed(2)]
      }),
    ),
})
