/**
 * Measures a sweep as its user sees it, from the command to the table: by a function in TypeScript,
 * by a command, by the Python client, and by Dask's `client.map`. Each has two workers.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { end } from '../base/child.ts'
import { markdownTable } from '../base/markdown.ts'
import { inCheckout, jelBin } from '../base/paths.ts'
import { flag, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { freePort, startProgram, startServer } from '../base/server.ts'
import { isProvided, provide, PYTHON } from '../network/tools.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'

const run = promisify(execFile)
const programs = join(import.meta.dirname, 'programs')
const WORKERS = 2
/** Longest time until all workers see each other, ms. A guess. */
const ENTER = 30_000
/** Longest time that a process may take to end, ms. */
const END = 3000
/** Most bytes of a table. */
const OUTPUT = 64 * 2 ** 20

interface Sweep {
  readonly name: string
  /** The file that the user writes. */
  readonly file: string
  /** Returns the command, which writes the values as a JSON array or as lines of JSON. */
  readonly command: (where: { readonly pool: string; readonly address: string; readonly scheduler: string }) => readonly string[]
}

const jel = [process.execPath, jelBin]
const inputs = 'inputs.json'

const SWEEPS: readonly Sweep[] = [
  {
    name: 'jel map, TypeScript',
    file: 'evaluate.ts',
    command: ({ pool }) => [...jel, 'map', pool, 'evaluate.ts', 'evaluate', '--inputs', inputs],
  },
  {
    name: 'jel map --command, Python',
    file: 'evaluate.py',
    command: ({ pool }) => [...jel, 'map', pool, '--command', `${PYTHON} evaluate.py {}`, '--files', 'evaluate.py', '--inputs', inputs],
  },
  {
    name: 'jel map --command --persistent, Python',
    file: 'persistent.py',
    command: ({ pool }) => [
      ...jel,
      'map',
      pool,
      '--command',
      `${PYTHON} persistent.py`,
      '--persistent',
      '--files',
      'persistent.py',
      '--inputs',
      inputs,
    ],
  },
  { name: 'Python client, pool.map', file: 'client.py', command: ({ pool, address }) => [PYTHON, 'client.py', pool, inputs, address] },
  { name: 'Dask, client.map', file: 'dask_map.py', command: ({ scheduler }) => [PYTHON, 'dask_map.py', scheduler, inputs] },
]

interface Result {
  readonly name: string
  readonly lines: number
  /** From the start of the command to its end, ms. */
  readonly times: number[]
}

export const experiment = bench({
  about: 'a sweep from the command to the table: TypeScript, a command, the Python client, and Dask',
  settings: {
    inputs: whole(2000, 'inputs of the sweep'),
    ms: whole(50, 'milliseconds of processor time for each'),
    runs: whole(1, 'sweeps of each kind, in turn'),
    offline: flag('install nothing, and skip Dask if it is not installed'),
  },
  notes: 'Two workers each. A command starts a Python for each input, unless it is persistent.',
  where: 'network',
  prepare({ offline }) {
    if (!offline) provide('dask')
    return undefined
  },
  async measure({ inputs: count, ms, runs }, { folder }) {
    // Workers and commands find the same key of an owner there. A worker starts Debian's Python.
    Object.assign(process.env, { XDG_CONFIG_HOME: folder, PATH: `${dirname(PYTHON)}:${process.env['PATH']}` })
    const points = Array.from({ length: count }, (_, x) => ({ x, ms }))
    writeFileSync(join(folder, inputs), JSON.stringify(points))
    for (const { file } of SWEEPS) copyFileSync(join(programs, file), join(folder, file))
    const sweeps = SWEEPS.filter(({ file }) => file !== 'dask_map.py' || isProvided('dask'))
    const results = sweeps.map(({ name, file }): Result => ({ name, lines: linesOf(file), times: [] }))
    for (let turn = 0; turn < runs; turn++) {
      for (const [at, sweep] of sweeps.entries()) {
        const took = await measure(sweep, folder, points)
        results[at]?.times.push(took)
        console.error(`${sweep.name}: ${(took / 1000).toFixed(1)} s`)
      }
    }
    return { ideal: (count * ms) / WORKERS, results }
  },
  table: ({ ideal, results }) =>
    markdownTable(
      ['a sweep with two workers', 'lines that the user writes', 'seconds', 'efficiency'],
      results.map(({ name, lines, times }) => {
        const median = times.toSorted((a, b) => a - b)[times.length >> 1] as number
        return [name, String(lines), (median / 1000).toFixed(1), `${((100 * ideal) / median).toFixed(1)} %`]
      }),
    ),
})

/** Starts workers, and runs the sweep. Returns the duration of its command, ms. */
async function measure({ command, file }: Sweep, folder: string, points: readonly { readonly x: number }[]): Promise<number> {
  const isDask = file === 'dask_map.py'
  const name = `sweep-${process.pid}-${Date.now()}`
  const swarm = new ProcessSwarm({ bin: jelBin, command: 'work', name })
  const port = await freePort()
  const scheduler = `tcp://127.0.0.1:${port}`
  const servers = isDask
    ? [await startServer(PYTHON, [...dask('scheduler'), '--host', '127.0.0.1', '--port', `${port}`], folder, port)]
    : []
  try {
    if (isDask) {
      const flags = [scheduler, '--nthreads', '1', '--no-nanny', '--host', '127.0.0.1', '--no-dashboard']
      for (let worker = 0; worker < WORKERS; worker++) servers.push(startProgram(PYTHON, [...dask('worker'), ...flags], folder))
    } else {
      // The first process makes the owner's key.
      for (let worker = 0; worker < WORKERS; worker++) await swarm.start(1, { args: ['--workers', '1'] })
      if ((await swarm.until(() => swarm.agree(), ENTER)) === undefined) throw new Error('the workers do not see each other')
    }
    const address = swarm.running[0]?.process.address ?? ''
    const [program = '', ...args] = command({ pool: name, address, scheduler })
    const env = { ...process.env, PYTHONPATH: inCheckout('apps/python'), JEL: jel.join(' ') }
    const since = performance.now()
    const { stdout } = await run(program, args, { cwd: folder, env, maxBuffer: OUTPUT })
    const took = performance.now() - since
    check(stdout, points)
    return took
  } finally {
    await swarm.stop()
    await Promise.all(servers.map((each) => end(each, END)))
  }
}

function dask(command: string): string[] {
  return ['-m', `distributed.cli.dask_${command}`, ...(command === 'scheduler' ? ['--no-dashboard'] : [])]
}

/** @throws Error if a row is missing or wrong, or occurs twice */
function check(stdout: string, points: readonly { readonly x: number }[]): void {
  const rows = stdout.trimStart().startsWith('[')
    ? (JSON.parse(stdout) as { readonly y: number }[])
    : stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly value: { readonly y: number } }).value)
  if (rows.length !== points.length || rows.some(({ y }, at) => y !== (points[at] as { x: number }).x ** 2))
    throw new Error(`the table is wrong: ${rows.length} rows, ${stdout.slice(0, 200)}`)
}

function linesOf(file: string): number {
  return readFileSync(join(programs, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length
}
