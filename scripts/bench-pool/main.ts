/**
 * Benchmarks a pool of real nodes on loopback: many hosts in two processes, and separate `jel join` processes.
 *
 *     pnpm bench:pool --nodes 50,100,200 --processes 20,60 --runs 3 --json figures.json
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { takeChildrenAlong } from '../driver/child.ts'
import { benchHosts } from './host-bench.ts'
import { ownNetwork, rerunInOwnNetwork } from './loopback.ts'
import { Measures } from './measure.ts'
import { PHASES, type Phase, type Plan } from './plan.ts'
import { benchProcesses } from './process-bench.ts'
import { summarizeProfiles } from './profile.ts'
import { json, machine, table, withFigures } from './report.ts'

const USAGE = `pnpm bench:pool [options]

  --nodes 50,100,200   sizes of the swarms of hosts that share two processes (0: none)
  --processes 20,60    sizes of the swarms of separate node processes (0: none)
  --runs 3             swarms of each size
  --repeats 5          single joins, leaves, kills in each swarm
  --only ${PHASES.join(',')}
  --settle 5           seconds between two things measured
  --idle 60            seconds over which idle cost is measured, after as long a rest
  --json FILE          write all values
  --doc FILE           replace the table between <!-- figures --> and <!-- /figures --> in this file
  --cpu-prof FOLDER    profile all children and sum up where the processor time went
  --bin FILE           the command line to run (default: this checkout's)
  --shared-network     stay in the machine's network: no byte counts with headers
`

function sizes(text: string): number[] {
  const numbers = text.split(',').map(Number)
  if (numbers.some((size) => !Number.isInteger(size) || size < 0)) throw new TypeError(`not a list of sizes: ${text}`)
  return numbers.filter((size) => size > 1)
}

function phases(text: string): Set<Phase> {
  const names = text.split(',')
  const unknown = names.find((name) => !PHASES.includes(name as Phase))
  if (unknown !== undefined) throw new TypeError(`nothing to measure is called "${unknown}": choose from ${PHASES.join(', ')}`)
  return new Set(names as Phase[])
}

const options = {
  nodes: { type: 'string', default: '50,100,200' },
  processes: { type: 'string', default: '20,60' },
  runs: { type: 'string', default: '3' },
  repeats: { type: 'string', default: '5' },
  only: { type: 'string', default: PHASES.join(',') },
  settle: { type: 'string', default: '5' },
  idle: { type: 'string', default: '60' },
  json: { type: 'string' },
  doc: { type: 'string' },
  'cpu-prof': { type: 'string' },
  bin: { type: 'string', default: fileURLToPath(new URL('../../apps/node/bin/jel.js', import.meta.url)) },
  'shared-network': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

async function main(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) {
    console.log(USAGE)
    return
  }
  const status = values['shared-network'] ? undefined : await rerunInOwnNetwork()
  if (status !== undefined) {
    process.exitCode = status
    return
  }
  takeChildrenAlong()
  if (!ownNetwork()) console.error('Not alone in this network: no byte counts with headers.')
  const folder = values['cpu-prof']
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  const plan: Plan = {
    runs: Number(values.runs),
    repeats: Number(values.repeats),
    phases: phases(values.only),
    settle: Number(values.settle) * 1000,
    idleSettle: Number(values.idle) * 1000,
    idle: Number(values.idle) * 1000,
    flags: folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`],
    bin: values.bin,
    say: (text) => console.error(text),
  }
  const before = machine()
  const measures = new Measures()
  try {
    for (const size of sizes(values.nodes)) await benchHosts(size, plan, measures)
    for (const size of sizes(values.processes)) await benchProcesses(size, plan, measures)
  } finally {
    // Whatever was measured before something went wrong is worth reading.
    console.log(table(measures.all))
    if (values.doc !== undefined) writeFileSync(values.doc, withFigures(readFileSync(values.doc, 'utf8'), measures.all, before))
    if (values.json !== undefined) writeFileSync(values.json, json(measures.all, before))
  }
  if (folder !== undefined) console.log(`\n${await summarizeProfiles(folder)}`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
