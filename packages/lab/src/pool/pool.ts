/**
 * Benchmarks pools of real nodes on loopback: many hosts in two processes, and separate `jel join`
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
  about: 'the cost of a pool of real nodes, and the time in which all know of an event',
  settings: {
    nodes: wholes('50,100,200', 'sizes of the swarms of hosts that share two processes (0: none)', 0),
    processes: wholes('20,60', 'sizes of the swarms of separate node processes (0: none)', 0),
    runs: whole(3, 'swarms of each size'),
    repeats: whole(5, 'single joins, leaves and kills in each swarm'),
    only: someOf(PHASES),
    settle: seconds(5, 'seconds of rest between two measurements'),
    idle: seconds(60, 'seconds over which idle cost is measured, after the same time at rest'),
    cpuProf: optional('FOLDER', 'profile all child processes, and sum up the processor time by package and function'),
    bin: text(jelBin, "the entry of jel's command line (default: this checkout's)", 'FILE'),
  },
  where: 'network',
  figures: shown,
  async measure({ nodes, processes, cpuProf: profiles, only, ...rest }) {
    if (!ownNetwork()) console.error('Other programs share this network: bytes with headers are not counted.')
    if (profiles !== undefined) mkdirSync(profiles, { recursive: true })
    const plan: Plan = {
      ...rest,
      phases: new Set(only),
      flags: profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    }
    const measures = new Measures()
    try {
      // A single node is no swarm.
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
