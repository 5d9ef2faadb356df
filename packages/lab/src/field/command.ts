/**
 * Runs `jel` and HashiCorp Serf over the same course, on the same machine, in one run: nodes on
 * hosts of the laboratory.
 *
 *     pnpm lab field --nodes 40 --keep
 */
import { readFileSync } from 'node:fs'
import { keepFigures, originOf } from '../base/figures.ts'
import { writeDraw } from '../base/draw.ts'
import { takeChildrenAlong } from '../base/child.ts'
import { inCheckout, jelBin } from '../base/paths.ts'
import { chosen, positive, command, UsageError, type Values, whole } from '../base/program.ts'
import { LabNetwork } from '../network/network.ts'
import { provide } from '../network/tools.ts'
import { rerunInOwnNamespaces, runId } from '../network/namespaces.ts'
import { durationOf, isThreeHostsOnly, PHASES, type Course } from './course.ts'
import { jel } from './jel.ts'
import { shown } from './report.ts'
import { ROWS, type Figures, type Row } from './rows.ts'
import { serf } from './serf.ts'
import { trial } from './trial.ts'

const NAMES = ['jel', 'Serf'] as const

const USAGE = `pnpm lab field [options]

  --nodes 40        agents of each contender, on two hosts
  --runs 1          times over the course, each contender in turn
  --repeats 3       single joins, leaves, kills in each run
  --settle 3        seconds between two things measured
  --idle 30         seconds over which idle cost is measured
  --partition 60    seconds that the two hosts are cut apart
  --heals 5         times that they are, in each run
  --per-host 10     agents on each of the three hosts of which two are cut from each other for 60 s
  --only ${PHASES.join(',')}
  --contenders ${NAMES.join(',')}
  --keep            write all values to docs/figures/field.json, and docs/benchmarks.md and docs/field.svg from there
  --bin FILE        the command line of ours to run (default: this checkout's)
  --draw FILE       write all values of ours to a file, for pnpm lab compare

Needs Linux, root or user namespaces, and Serf (Debian: apt-get install serf) if it takes part.
`

const options = {
  nodes: { type: 'string', default: '40' },
  runs: { type: 'string', default: '1' },
  repeats: { type: 'string', default: '3' },
  settle: { type: 'string', default: '3' },
  idle: { type: 'string', default: '30' },
  partition: { type: 'string', default: '60' },
  heals: { type: 'string', default: '5' },
  'per-host': { type: 'string', default: '10' },
  only: { type: 'string', default: PHASES.join(',') },
  contenders: { type: 'string', default: NAMES.join(',') },
  keep: { type: 'boolean', default: false },
  bin: { type: 'string', default: jelBin },
  draw: { type: 'string' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const [nodes, runs, repeats] = [whole('nodes', values.nodes, 4), whole('runs', values.runs), whole('repeats', values.repeats)]
  const [heals, perHost] = [whole('heals', values.heals), whole('per-host', values['per-host'])]
  const only = new Set(chosen('only', values.only, PHASES))
  const seconds = (flag: 'settle' | 'idle' | 'partition'): number => positive(flag, values[flag]) * 1_000
  const [settle, idle, partition] = [seconds('settle'), seconds('idle'), seconds('partition')]
  if (nodes % 2 > 0) throw new UsageError(`--nodes takes an even number, for two hosts, not ${nodes}`)
  const names = chosen('contenders', values.contenders, NAMES)
  const rival = names.includes('Serf') ? serf() : undefined
  if (names.includes('Serf') && rival === undefined) {
    console.log('pnpm lab field was skipped: Serf is not installed (on Debian: apt-get install serf)')
    return 0
  }
  provide('network')
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const origin = originOf()
  const { version } = JSON.parse(readFileSync(inCheckout('apps/node/package.json'), 'utf8')) as { version: string }
  const ours = jel(values.bin, version)
  const contenders = [...(names.includes('jel') ? [ours] : []), ...(rival === undefined ? [] : [rival])]
  const figures = new Map<string, Figures>(contenders.map(({ name }) => [name, {}]))
  const network = new LabNetwork(3)
  const course: Course = { only, nodes, hosts: network.hosts.slice(0, 2), repeats, heals, perHost, settle, idle, partition }
  const { usual, most } = durationOf(course)
  const minutes = (each: number): number => Math.ceil((each * runs * figures.size) / 60_000)
  console.error(`This takes about ${minutes(usual)} minutes, and at most ${minutes(most)}.`)
  for (let run = 0; run < runs; run++) {
    for (const contender of contenders) {
      const group = `field-${runId()}-${run}`
      merge(figures.get(contender.name) ?? {}, await trial(contender, network, course, group, (text) => console.error(text)))
      network.heal()
    }
  }
  const [mine = {}, theirs = {}] = NAMES.map((name) => figures.get(name))
  const places = placesOf(course)
  const titles = contenders.map(({ title }) => title)
  const data = { title: `${places}; ${titles.join('; ')}${rival === undefined ? '' : ', LAN profile'}.`, places, ours: mine, theirs }
  console.log(shown.text(data))
  if (values.draw !== undefined) {
    const drawn = (Object.entries(mine) as [Row, number[]][]).map(([row, drawn]) => {
      const [name, unit] = ROWS[row]
      return { name, unit, better: 'less' as const, values: drawn }
    })
    writeDraw(values.draw, drawn)
  }
  if (values.keep) await keepFigures(shown, origin, data)
  return 0
}

function placesOf({ only, nodes, perHost }: Course): string {
  const two = isThreeHostsOnly(only) ? [] : [`${nodes} nodes each on two hosts of ${nodes / 2}`]
  return [...two, ...(only.has('three-hosts') ? [`${perHost * 3} on three hosts of ${perHost}`] : [])].join(', ')
}

function merge(into: Figures, figures: Figures): void {
  for (const [row, values] of Object.entries(figures) as [Row, number[]][]) (into[row] ??= []).push(...values)
}

export const experiment = command(USAGE, options, main)
