/**
 * Benchmarks the simulator: the speed at which it runs a pool, relative to real time, and its
 * memory.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { markdownRow } from '../base/markdown.ts'
import { startRemote } from '../base/remote.ts'
import { optional, positive, whole, wholes } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import type { Plan } from './phased-run.ts'
import type { SimulatorWorker } from './worker.ts'

/**
 * `cpu s`: processor time of all threads, with garbage collection. `ratio`: virtual time divided by
 * real time.
 */
const HEADER = ['nodes', 'phase', 'virtual s', 'real s', 'cpu s', 'ratio', 'node-s/s', 'events', 'events/s', 'KB/node', 'peak MB', '']

/** JavaScript heap of a pool, MB, without typed arrays. */
const heapMB = 7_000

export const experiment = bench({
  about: 'speed and memory of the simulator',
  settings: {
    nodes: wholes('1000,10000', 'sizes of the pools, each simulated in a separate process', 2),
    over: whole(10, 'virtual seconds within which all nodes start', 0),
    settle: whole(60, 'virtual seconds between the flash join and the steady phase', 0),
    steady: whole(60, 'virtual seconds of the measured rest', 0),
    churn: whole(600, 'virtual seconds of churn (0: none)', 0),
    session: positive(3_600, 'mean session during churn, virtual seconds; arrivals replace the nodes that end'),
    rack: whole(500, 'nodes that crash at once, at most a tenth of the pool (0: none)', 0),
    seed: whole(1, 'seed of the runs', 0),
    cpuProf: optional('FOLDER', 'write a processor profile of each pool'),
  },
  async measure({ nodes: sizes, rack, cpuProf, ...phases }, { origin }) {
    const { node, processor, memoryGB } = origin.machine
    console.log(`Node ${node}, ${processor}, ${memoryGB} GB`)
    for (const cells of [HEADER, HEADER.map(() => '---')]) console.log(markdownRow(cells))
    for (const nodes of sizes) {
      const plan: Plan = { ...phases, nodes, rack: Math.min(rack, Math.floor(nodes / 10)) }
      for (const cells of await simulate(plan, cpuProf)) console.log(markdownRow([String(nodes), ...cells]))
    }
  },
})

/**
 * Simulates one pool in a separate process. If the machine has `taskset`, the process gets one
 * core.
 */
async function simulate(plan: Plan, profile: string | undefined): Promise<readonly string[][]> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const flags = [`--max-old-space-size=${heapMB}`, '--max-semi-space-size=64', '--disable-warning=ExperimentalWarning', ...profiling]
  const { child, remote } = startRemote<SimulatorWorker>(new URL('worker.ts', import.meta.url), flags)
  spawnSync('taskset', ['-a', '-c', '-p', '0', String(child.pid)])
  const result = await remote.run(plan)
  child.disconnect()
  await once(child, 'exit')
  return result
}
