/**
 * Our pool and HashiCorp Serf over the same course, on the same machine, in one run: nodes on hosts of the laboratory.
 *
 *     pnpm bench:field --nodes 40 --doc docs/benchmarks.md --plot docs/field.svg
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../bench-pool/report.ts'
import { takeChildrenAlong } from '../driver/child.ts'
import { positive, run, UsageError, whole } from '../driver/program.ts'
import { replaceSection } from '../driver/markdown.ts'
import { LabNetwork } from '../lab/network.ts'
import { provide } from '../lab/tools.ts'
import { rerunInOwnWorld, runId } from '../lab/world.ts'
import { jel } from './jel.ts'
import { plot, table } from './report.ts'
import { serf } from './serf.ts'
import { trial, type Figures, type Row } from './trial.ts'

const USAGE = `pnpm bench:field [options]

  --nodes 40        agents of each contender, on two hosts
  --runs 1          times over the course, each contender in turn
  --repeats 3       single joins, leaves, kills in each run
  --settle 3        seconds between two things measured
  --idle 30         seconds over which idle cost is measured
  --partition 60    seconds that the two hosts are cut apart
  --json FILE       write all values
  --doc FILE        replace the table between <!-- field --> and <!-- /field --> in this file
  --plot FILE       draw the ratios, as SVG
  --bin FILE        the command line of ours to run (default: this checkout's)

Needs Linux, root or user namespaces, and Serf (Debian: apt-get install serf).
`

const root = fileURLToPath(new URL('../../', import.meta.url))

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '40' },
      runs: { type: 'string', default: '1' },
      repeats: { type: 'string', default: '3' },
      settle: { type: 'string', default: '3' },
      idle: { type: 'string', default: '30' },
      partition: { type: 'string', default: '60' },
      json: { type: 'string' },
      doc: { type: 'string' },
      plot: { type: 'string' },
      bin: { type: 'string', default: `${root}apps/node/bin/jel.js` },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const [nodes, runs, repeats] = [whole('nodes', values.nodes, 4), whole('runs', values.runs), whole('repeats', values.repeats)]
  const [settle, idle, partition] = (['settle', 'idle', 'partition'] as const).map((flag) => positive(flag, values[flag]) * 1_000) as [
    number,
    number,
    number,
  ]
  if (nodes % 2 > 0) throw new UsageError(`--nodes takes an even number, for two hosts, not ${nodes}`)
  const rival = serf()
  if (rival === undefined) {
    console.log('bench:field was skipped: Serf is not installed (on Debian: apt-get install serf)')
    return 0
  }
  provide('network')
  const status = await rerunInOwnWorld()
  if (status !== undefined) return status
  takeChildrenAlong()
  const where = machine()
  const { version } = JSON.parse(readFileSync(`${root}apps/node/package.json`, 'utf8')) as { version: string }
  const ours = jel(values.bin, version)
  const figures = new Map<string, Figures>([ours, rival].map(({ name }) => [name, {}]))
  const network = new LabNetwork(2)
  for (let run = 0; run < runs; run++) {
    for (const contender of [ours, rival]) {
      const group = `field-${runId()}-${run}`
      const course = { nodes, repeats, settle, idle, partition }
      merge(figures.get(contender.name) ?? {}, await trial(contender, network, course, group, (text) => console.error(text)))
      network.heal(['partition'])
    }
  }
  const [mine = {}, other = {}] = figures.values()
  const title = `${nodes} nodes each on two hosts of ${nodes / 2}; ${ours.title}; ${rival.title}, LAN profile; ${String(where['cores'])} cores (${String(where['processor'])}), load average at the start ${String(where['loadAverage'])}.`
  console.log(`${title}\n\n${table(mine, other)}`)
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine: where, title, figures: Object.fromEntries(figures) }, undefined, 2)}\n`)
  if (values.doc !== undefined)
    writeFileSync(values.doc, replaceSection(readFileSync(values.doc, 'utf8'), 'field', `${title}\n\n${table(mine, other)}`))
  if (values.plot !== undefined) writeFileSync(values.plot, await plot(mine, other, `${nodes} nodes on two hosts`))
  return 0
}

function merge(into: Figures, figures: Figures): void {
  for (const [row, values] of Object.entries(figures) as [Row, number[]][]) (into[row] ??= []).push(...values)
}

await run(main)
