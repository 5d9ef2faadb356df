/**
 * Benchmarks the simulator: how much faster than real time it runs a pool, and in how much memory.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { flag, optional, positive, seconds, whole, wholes, type Setting } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import type { Phase, Plan } from './phased-run.ts'
import type { SimulatorWorker } from './worker.ts'

const HEADER = ['nodes', 'phase', 'virtual s', 'real s', 'cpu s', 'ratio', 'node-s/s', 'events', 'events/s', 'KB/node', 'peak MB', '']

/** JavaScript heap of a pool, MB; typed arrays come on top. */
const heapMB = 7_000

/** Virtual seconds; 0 is allowed. */
function virtual(initial: number, about: string): Setting<number> {
  const setting = seconds(initial, about, { orNone: true })
  return { ...setting, read: (name, given) => setting.read(name, given) / 1_000 }
}

export const experiment = bench({
  about: 'how fast the simulator is, and in how much memory',
  settings: {
    nodes: wholes('1000,10000', 'sizes of the pools, each simulated in a process of its own', 2),
    over: virtual(10, 'all nodes start within so many virtual seconds'),
    settle: virtual(60, 'virtual seconds between the flash join and the steady phase'),
    steady: virtual(60, 'virtual seconds of rest that are timed'),
    churn: virtual(600, 'virtual seconds of churn (0: none)'),
    session: positive(3_600, 'mean session during churn, seconds; as many arrive as go'),
    rack: whole(500, 'nodes that crash at once, at most a tenth of the pool (0: none)', 0),
    seed: whole(1, '', 0),
    json: optional('FILE', 'write all values'),
    cpuProf: optional('FOLDER', 'write a processor profile of each pool'),
    anyCore: flag("don't hold the process to one core"),
  },
  async measure({ nodes: sizes, rack, json, cpuProf, anyCore, ...timing }) {
    const results: { readonly nodes: number; readonly traceHash: string; readonly phases: readonly Phase[] }[] = []
    console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`)
    console.log(line(HEADER))
    console.log(line(HEADER.map(() => '---')))
    for (const nodes of sizes) {
      const plan: Plan = { ...timing, nodes, rack: Math.min(rack, Math.floor(nodes / 10)) }
      const result = await simulate(plan, cpuProf, !anyCore)
      for (const phase of result.phases) console.log(line(row(nodes, phase)))
      results.push({ nodes, ...result })
      if (json === undefined) continue
      const machine = { node: process.version, processor: cpus()[0]?.model, command: process.argv.slice(2).join(' ') }
      writeFileSync(json, `${JSON.stringify({ machine, results }, undefined, 2)}\n`)
    }
    return results
  },
})

/** Runs one pool, on one core where the machine has `taskset`. */
async function simulate(
  plan: Plan,
  profile: string | undefined,
  pinned: boolean,
): ReturnType<RemoteProcess<SimulatorWorker>['remote']['run']> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const flags = [`--max-old-space-size=${heapMB}`, '--max-semi-space-size=64', '--disable-warning=ExperimentalWarning', ...profiling]
  const { child, remote } = startRemote<SimulatorWorker>(new URL('worker.ts', import.meta.url), flags)
  if (pinned) spawnSync('taskset', ['-a', '-c', '-p', '0', String(child.pid)])
  const result = await remote.run(plan)
  child.disconnect()
  await once(child, 'exit')
  return result
}

function row(nodes: number, phase: Phase): string[] {
  return [
    String(nodes),
    phase.phase,
    phase.virtualSeconds.toFixed(1),
    phase.realSeconds.toFixed(1),
    phase.cpuSeconds.toFixed(1),
    phase.ratio.toPrecision(3),
    phase.nodeSecondsPerSecond.toFixed(0),
    String(phase.events),
    phase.eventsPerSecond.toFixed(0),
    (phase.bytesPerNode / 1_024).toFixed(1),
    phase.rssMB.toFixed(0),
    phase.note,
  ]
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
