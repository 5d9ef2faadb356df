/**
 * Measures the cost of a node in a worker thread, beside one in the main thread: start, memory,
 * delay of a signal, throughput of a stream. One fresh process a measurement, in turn.
 *
 *     pnpm lab thread --runs 5
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { command, type Values, whole } from '../base/program.ts'
import type { Costs } from './subject.ts'

const SUBJECT = fileURLToPath(new URL('subject.ts', import.meta.url))
function measure(thread: string): Costs {
  return JSON.parse(execFileSync(process.execPath, [SUBJECT, thread], { encoding: 'utf8' })) as Costs
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

const USAGE = `pnpm lab thread [options]

  --runs 5   processes of each kind
`

const options = { runs: { type: 'string', default: '5' } } as const

async function main(values: Values<typeof options>): Promise<number> {
  const runs = Array.from({ length: whole('runs', values.runs) }, () => [measure('main'), measure('worker')] as const)
  const names: readonly (keyof Costs)[] = ['start ms', 'memory MiB', 'signal ms', 'stream MiB/s']
  console.log('| | main | worker | worker / main |\n| --- | --- | --- | --- |')
  for (const name of names) {
    const main = median(runs.map(([each]) => each[name]))
    const worker = median(runs.map(([, each]) => each[name]))
    console.log(`| ${name} | ${main.toFixed(2)} | ${worker.toFixed(2)} | ${(worker / main).toFixed(2)} |`)
  }
  return 0
}

export const experiment = command(USAGE, options, main)
