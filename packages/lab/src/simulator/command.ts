/**
 * Benchmarks the simulator: how much faster than real time it runs a pool, and in how much memory.
 *
 *     pnpm lab simulator --nodes 1000,10000 --json figures.json
 */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { keep, takeChildrenAlong } from '../base/child.ts'
import { positive, command, type Values, whole, wholes } from '../base/program.ts'
import type { Phase, Plan } from './course.ts'

const USAGE = `pnpm lab simulator [options]

  --nodes 1000,10000   sizes of the pools, each simulated in a process of its own
  --over 10            all nodes start within so many virtual seconds
  --settle 60          virtual seconds between the flash join and the steady phase
  --steady 60          virtual seconds of rest that are timed
  --churn 600          virtual seconds of churn (0: none)
  --session 3600       mean session during churn, seconds; as many arrive as go
  --rack 500           nodes that crash at once, at most a tenth of the pool (0: none)
  --seed 1
  --json FILE          write all values
  --cpu-prof FOLDER    write a processor profile of each pool
  --any-core           don't hold the process to one core
`

const options = {
  nodes: { type: 'string', default: '1000,10000' },
  over: { type: 'string', default: '10' },
  settle: { type: 'string', default: '60' },
  steady: { type: 'string', default: '60' },
  churn: { type: 'string', default: '600' },
  session: { type: 'string', default: '3600' },
  rack: { type: 'string', default: '500' },
  seed: { type: 'string', default: '1' },
  json: { type: 'string' },
  'cpu-prof': { type: 'string' },
  'any-core': { type: 'boolean', default: false },
} as const

const HEADER = ['nodes', 'phase', 'virtual s', 'real s', 'cpu s', 'ratio', 'node-s/s', 'events', 'events/s', 'KB/node', 'peak MB', '']

/** JavaScript heap of a pool, MB; typed arrays come on top. */
const heapMB = 7_000

async function main(values: Values<typeof options>): Promise<number> {
  const sizes = wholes('nodes', values.nodes, 2)
  const [rack, seed] = [whole('rack', values.rack, 0), whole('seed', values.seed, 0)]
  const plans = sizes.map((nodes): Plan => ({
    nodes,
    seed,
    over: seconds('over', values.over),
    settle: seconds('settle', values.settle),
    steady: seconds('steady', values.steady),
    churn: seconds('churn', values.churn),
    session: positive('session', values.session),
    rack: Math.min(rack, Math.floor(nodes / 10)),
  }))
  takeChildrenAlong()
  const results: { readonly nodes: number; readonly traceHash: string; readonly phases: readonly Phase[] }[] = []
  console.log(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`)
  console.log(line(HEADER))
  console.log(line(HEADER.map(() => '---')))
  for (const plan of plans) {
    const { nodes } = plan
    const profile = values['cpu-prof']
    const { traceHash, phases } = await simulate(plan, profile, !values['any-core'], (phase) => console.log(line(row(nodes, phase))))
    results.push({ nodes, traceHash, phases })
    if (values.json !== undefined) {
      const machine = { node: process.version, processor: cpus()[0]?.model, command: process.argv.slice(2).join(' ') }
      writeFileSync(values.json, `${JSON.stringify({ machine, results }, undefined, 2)}\n`)
    }
  }
  return 0
}

/** Parses seconds; 0 is allowed. */
function seconds(flag: string, text: string): number {
  return Number(text) === 0 && text.trim() !== '' ? 0 : positive(flag, text)
}

/** Runs one pool, on one core where the machine has `taskset`. */
async function simulate(
  plan: Plan,
  profile: string | undefined,
  pinned: boolean,
  told: (phase: Phase) => void,
): Promise<{ traceHash: string; phases: Phase[] }> {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url))
  const node = [process.execPath, `--max-old-space-size=${heapMB}`, '--max-semi-space-size=64']
  if (profile !== undefined) node.push('--cpu-prof', `--cpu-prof-dir=${profile}`)
  const command = [
    ...(pinned && existsSync('/usr/bin/taskset') ? ['/usr/bin/taskset', '-c', '0'] : []),
    ...node,
    worker,
    JSON.stringify(plan),
  ]
  const child = keep(spawn(command[0] as string, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] }))
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const phases: Phase[] = []
  let traceHash = ''
  for await (const text of createInterface({ input: child.stdout })) {
    const message = JSON.parse(text) as Phase | { readonly traceHash: string }
    if ('traceHash' in message) traceHash = message.traceHash
    else {
      phases.push(message)
      told(message)
    }
  }
  const status = await ended
  if (status !== 0) throw new Error(`the simulation of ${plan.nodes} nodes ended with status ${status}`)
  return { traceHash, phases }
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

export const experiment = command(USAGE, options, main)
