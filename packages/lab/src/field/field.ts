/**
 * Measures `jel` and HashiCorp Serf by the same schedule, on the same machine, in one run. Nodes
 * run on hosts of the laboratory.
 */
import { jelBin } from '../base/paths.ts'
import { seconds, someOf, text, UsageError, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { LabNetwork } from '../network/network.ts'
import { runId } from '../network/namespaces.ts'
import { durationOf, isThreeHostsOnly, PHASES, type Schedule } from './schedule.ts'
import { jel } from './contender.ts'
import { shown } from './report.ts'
import { ROWS, type Figures, type Row } from './rows.ts'
import { serf } from './serf.ts'
import { trial } from './trial.ts'

const NAMES = ['jel', 'Serf'] as const

export const experiment = bench({
  about: 'our pool and Serf by the same schedule',
  settings: {
    nodes: whole(40, 'agents of each contender, on two hosts', 4),
    runs: whole(1, 'repeats of the schedule, with the contenders in turn'),
    repeats: whole(3, 'single joins, leaves and kills in each run'),
    settle: seconds(3, 'seconds between two measurements'),
    idle: seconds(30, 'seconds over which idle cost is measured'),
    partition: seconds(60, 'seconds for which the two hosts are cut apart'),
    heals: whole(5, 'number of these cuts in each run'),
    perHost: whole(10, 'agents on each of three hosts; two of these hosts are cut from each other for 60 s'),
    only: someOf(PHASES),
    contenders: someOf(NAMES),
    bin: text(jelBin, "the entry of jel's command line (default: this checkout's)", 'FILE'),
  },
  notes: 'Needs Linux, root or user namespaces, and Serf (Debian: apt-get install serf) if it takes part.',
  where: 'hosts',
  prepare({ nodes, contenders }) {
    if (nodes % 2 > 0) throw new UsageError(`--nodes takes an even number, for two hosts, not ${nodes}`)
    const lacks = contenders.includes('Serf') && serf() === undefined
    return lacks ? 'Serf is not installed (on Debian: apt-get install serf)' : undefined
  },
  figures: shown,
  async measure({ runs, only: phases, contenders: names, bin, ...settings }) {
    const only = new Set(phases)
    const rival = names.includes('Serf') ? serf() : undefined
    const contenders = [...(names.includes('jel') ? [jel(bin)] : []), ...(rival === undefined ? [] : [rival])]
    const figures = new Map<string, Figures>(contenders.map(({ name }) => [name, {}]))
    const network = new LabNetwork(3)
    const schedule: Schedule = { ...settings, only, hosts: network.hosts.slice(0, 2) }
    const { usual, most } = durationOf(schedule)
    const minutes = (each: number): number => Math.ceil((each * runs * figures.size) / 60_000)
    console.error(`This takes about ${minutes(usual)} minutes, and at most ${minutes(most)}.`)
    for (let run = 0; run < runs; run++) {
      for (const contender of contenders) {
        const group = `field-${runId()}-${run}`
        merge(figures.get(contender.name) ?? {}, await trial(contender, network, schedule, group))
        network.heal()
      }
    }
    const [ours = {}, theirs = {}] = NAMES.map((name) => figures.get(name))
    const places = placesOf(schedule)
    const title = `${places}; ${contenders.map((each) => each.title).join('; ')}${rival === undefined ? '' : ', LAN profile'}.`
    return { title, places, ours, theirs }
  },
  table: shown.text,
  draw: ({ ours }) =>
    (Object.entries(ours) as [Row, number[]][]).map(([row, values]) => {
      const [name, unit] = ROWS[row]
      return { name, unit, better: 'less', values }
    }),
})

function placesOf({ only, nodes, perHost }: Schedule): string {
  const two = isThreeHostsOnly(only) ? [] : [`${nodes} nodes each on two hosts of ${nodes / 2}`]
  return [...two, ...(only.has('three-hosts') ? [`${perHost * 3} on three hosts of ${perHost}`] : [])].join(', ')
}

function merge(into: Figures, figures: Figures): void {
  for (const [row, values] of Object.entries(figures) as [Row, number[]][]) (into[row] ??= []).push(...values)
}
