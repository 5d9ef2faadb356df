/**
 * Benchmarks a pool of real nodes on loopback: many hosts in two processes, and separate `jel join`
 * processes.
 */
import { mkdirSync } from 'node:fs'
import { jelBin } from '../base/paths.ts'
import { summarizeProfiles } from '../base/profile.ts'
import { optional, seconds, someOf, text, whole, wholes } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { ownNetwork } from '../network/loopback.ts'
import { Measures, shown, table } from './measure.ts'
import { PHASES, type Plan } from './plan.ts'
import { benchSwarm } from './swarm-bench.ts'

export const experiment = bench({
  about: 'what a pool of real nodes costs, and how fast news spreads in it',
  settings: {
    nodes: wholes('50,100,200', 'sizes of the swarms of hosts that share two processes (0: none)', 0),
    processes: wholes('20,60', 'sizes of the swarms of separate node processes (0: none)', 0),
    runs: whole(3, 'swarms of each size'),
    repeats: whole(5, 'single joins, leaves, kills in each swarm'),
    only: someOf(PHASES),
    settle: seconds(5, 'seconds between two things measured'),
    idle: seconds(60, 'seconds over which idle cost is measured, after as long a rest'),
    cpuProf: optional('FOLDER', 'profile all children and sum up where the processor time went'),
    bin: text(jelBin, "the command line to run (default: this checkout's)", 'FILE'),
  },
  where: 'network',
  figures: shown,
  async measure({ nodes, processes, cpuProf: profiles, only, ...rest }) {
    if (!ownNetwork()) console.error('Not alone in this network: no byte counts with headers.')
    if (profiles !== undefined) mkdirSync(profiles, { recursive: true })
    const plan: Plan = {
      ...rest,
      phases: new Set(only),
      flags: profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    }
    const measures = new Measures()
    try {
      // One node alone is no swarm.
      for (const size of nodes.filter((each) => each > 1)) await benchSwarm('hosts', size, plan, measures)
      for (const size of processes.filter((each) => each > 1)) await benchSwarm('processes', size, plan, measures)
    } catch (error) {
      console.log(table(measures.all))
      throw error
    }
    if (profiles !== undefined) console.log(`${await summarizeProfiles(profiles)}\n`)
    return measures.all
  },
  table,
  draw: (measures) =>
    measures.map(({ swarm, nodes, name, unit, values }) => ({ name: `${nodes} ${swarm}: ${name}`, unit, better: 'less', values })),
})
