/**
 * Benchmarks a pool of real nodes on loopback: many hosts in two processes, and separate `jel join`
 * processes.
 *
 *     pnpm lab pool --nodes 50,100,200 --processes 20,60 --runs 3 --keep
 */
import { mkdirSync } from 'node:fs'
import { takeChildrenAlong } from '../base/child.ts'
import { writeDraw, type DrawnRow } from '../base/draw.ts'
import { keepFigures, originOf } from '../base/figures.ts'
import { jelBin } from '../base/paths.ts'
import { chosen, positive, command, type Values, whole, wholes } from '../base/program.ts'
import { benchHosts } from './host-bench.ts'
import { ownNetwork, rerunInOwnNetwork } from '../network/loopback.ts'
import { Measures, type Measure } from './measure.ts'
import { PHASES, type Plan } from './plan.ts'
import { benchProcesses } from './process-bench.ts'
import { summarizeProfiles } from '../base/profile.ts'
import { shown, table } from './report.ts'

const USAGE = `pnpm lab pool [options]

  --nodes 50,100,200   sizes of the swarms of hosts that share two processes (0: none)
  --processes 20,60    sizes of the swarms of separate node processes (0: none)
  --runs 3             swarms of each size
  --repeats 5          single joins, leaves, kills in each swarm
  --only ${PHASES.join(',')}
  --settle 5           seconds between two things measured
  --idle 60            seconds over which idle cost is measured, after as long a rest
  --keep               write all values to docs/figures/pool.json, and docs/benchmarks.md from there
  --cpu-prof FOLDER    profile all children and sum up where the processor time went
  --bin FILE           the command line to run (default: this checkout's)
  --draw FILE          write all values to a file, for pnpm lab compare
  --shared-network     stay in the machine's network: no byte counts with headers
`

/** Drops sizes 0 and 1: one node alone is no swarm. */
function sizes(flag: string, text: string): number[] {
  return wholes(flag, text, 0).filter((size) => size > 1)
}

const options = {
  nodes: { type: 'string', default: '50,100,200' },
  processes: { type: 'string', default: '20,60' },
  runs: { type: 'string', default: '3' },
  repeats: { type: 'string', default: '5' },
  only: { type: 'string', default: PHASES.join(',') },
  settle: { type: 'string', default: '5' },
  idle: { type: 'string', default: '60' },
  keep: { type: 'boolean', default: false },
  'cpu-prof': { type: 'string' },
  bin: { type: 'string', default: jelBin },
  draw: { type: 'string' },
  'shared-network': { type: 'boolean', default: false },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const [hosts, processes] = [sizes('nodes', values.nodes), sizes('processes', values.processes)]
  const [runs, repeats] = [whole('runs', values.runs), whole('repeats', values.repeats)]
  const [settle, idle] = [positive('settle', values.settle) * 1_000, positive('idle', values.idle) * 1_000]
  const only = new Set(chosen('only', values.only, PHASES))
  const status = values['shared-network'] ? undefined : await rerunInOwnNetwork()
  if (status !== undefined) return status
  takeChildrenAlong()
  if (!ownNetwork()) console.error('Not alone in this network: no byte counts with headers.')
  const folder = values['cpu-prof']
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  const plan: Plan = {
    runs,
    repeats,
    phases: only,
    settle,
    idleSettle: idle,
    idle,
    flags: folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    bin: values.bin,
    say: (text) => console.error(text),
  }
  const origin = originOf()
  const measures = new Measures()
  try {
    for (const size of hosts) await benchHosts(size, plan, measures)
    for (const size of processes) await benchProcesses(size, plan, measures)
  } finally {
    // Prints the measurements from before an error, too.
    console.log(table(measures.all))
    if (values.draw !== undefined) writeDraw(values.draw, measures.all.map(drawnOf))
    if (values.keep && measures.all.length > 0) await keepFigures(shown, origin, measures.all)
  }
  if (folder !== undefined) console.log(`\n${await summarizeProfiles(folder)}`)
  return 0
}

function drawnOf({ swarm, nodes, name, unit, values }: Measure): DrawnRow {
  return { name: `${nodes} ${swarm}: ${name}`, unit, better: 'less', values }
}

export const experiment = command(USAGE, options, main)
