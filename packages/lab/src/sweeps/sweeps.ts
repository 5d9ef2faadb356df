/**
 * Measures a sweep as its user sees it, from the command to the table: by a function in TypeScript,
 * by a command, by the Python client, and by Dask's `client.map`. Each has two workers. Then the
 * submitter is killed in the middle, and the same command completes the table elsewhere.
 */
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { markdownTable } from '../base/markdown.ts'
import { jelBin } from '../base/paths.ts'
import { flag, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { median } from '../base/quantiles.ts'
import { freePort, startProgram, startServer } from '../base/server.ts'
import { isProvided, provide, PYTHON } from '../network/tools.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'
import { Machine, type Running } from './machine.ts'
import { INPUTS, linesOf, programOf, statusOf, SWEEPS, type SweepCommand } from './sweep-commands.ts'

const WORKERS = 2
/** The submitter is killed after this share of the time of a whole sweep. A guess. */
const KILL_AT = 0.4
/** Longest time until all workers see each other, ms. A guess. */
const ENTER = 30_000
const COLUMNS = ['seconds', 'efficiency']
/** Time between two looks at a sweep that has not begun, ms. A guess. */
const LOOK_AGAIN = 500
/** Longest time that a process may take to end, ms. */
const END = 3000

interface Result {
  readonly name: string
  readonly lines: number
  /** From the start of the command to its end, ms. */
  readonly times: number[]
  /** From the start of a killed command to the end of the command that completes its table, ms. */
  readonly killedTimes: number[]
  /** The shares that were done when the command was killed, 0 to 1. */
  readonly killedAt: number[]
}

interface Point {
  readonly x: number
  readonly ms: number
}

/** Workers that wait for a sweep. */
interface Workers {
  readonly address: string
  readonly scheduler: string
  readonly stop: () => Promise<void>
}

interface Measured {
  readonly took: number
  readonly done: number
}

export const experiment = bench({
  about: 'a sweep from the command to the table: TypeScript, a command, the Python client, and Dask',
  settings: {
    inputs: whole(2000, 'inputs of the sweep'),
    ms: whole(50, 'milliseconds of processor time for each'),
    runs: whole(1, 'sweeps of each kind, in turn'),
    offline: flag('install nothing, and skip Dask if it is not installed'),
  },
  notes: `Two workers each. A command starts a Python for each input, unless it is persistent.
A sweep runs once as a whole. Then one is killed (SIGKILL) at ${100 * KILL_AT} % of that time. The same command completes its table in
another folder, with another control folder and the same owner key. Dask's futures end with their client.`,
  where: 'network',
  prepare({ offline }) {
    if (!offline) provide('dask')
    return undefined
  },
  async measure({ inputs: count, ms, runs }, { folder }) {
    // A worker starts Debian's Python.
    process.env['PATH'] = `${dirname(PYTHON)}:${process.env['PATH']}`
    const points = Array.from({ length: count }, (_, x) => ({ x, ms }))
    const sweeps = SWEEPS.filter(({ isDask }) => isDask !== true || isProvided('dask'))
    const results = sweeps.map((sweep): Result => ({ name: sweep.name, lines: linesOf(sweep), times: [], killedTimes: [], killedAt: [] }))
    for (let turn = 0; turn < runs; turn++) {
      for (const [at, sweep] of sweeps.entries()) {
        const { times, killedTimes, killedAt } = results[at] as Result
        const { took } = await measure(sweep, join(folder, `${turn}-${at}`), points)
        times.push(took)
        console.error(`${sweep.name}: ${seconds(took)} s`)
        if (sweep.isDask === true) continue
        const killed = await measure(sweep, join(folder, `${turn}-${at}-killed`), points, took * KILL_AT)
        killedTimes.push(killed.took)
        killedAt.push(killed.done)
        console.error(`${sweep.name}, killed at ${percent(killed.done)}, completed elsewhere: ${seconds(killed.took)} s`)
      }
    }
    return { ideal: (count * ms) / WORKERS, results }
  },
  table: ({ ideal, results }) =>
    markdownTable(
      ['a sweep with two workers', 'lines that the user writes', ...COLUMNS, 'submitter killed at', ...COLUMNS],
      results.map(({ name, lines, times, killedTimes, killedAt }) => {
        const at = killedAt.length === 0 ? '–' : percent(median(killedAt))
        return [name, String(lines), ...shown(times, ideal), at, ...shown(killedTimes, ideal)]
      }),
    ),
})

const seconds = (ms: number): string => (ms / 1000).toFixed(1)
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

/** Returns the median, in seconds, and its efficiency. */
function shown(times: readonly number[], ideal: number): readonly [string, string] {
  return times.length === 0 ? ['–', '–'] : [seconds(median(times)), `${((100 * ideal) / median(times)).toFixed(1)} %`]
}

/**
 * Starts workers, and runs the sweep. `took`: its duration from the start of the command, ms.
 * `done`: the share that was done when the command was killed, 0 to 1.
 *
 * @param killAt kills the command after this time, ms, and runs it again on another machine
 */
async function measure(sweep: SweepCommand, folder: string, points: readonly Point[], killAt?: number): Promise<Measured> {
  const machine = new Machine(join(folder, 'first'))
  machine.take(programOf(sweep))
  machine.write(INPUTS, JSON.stringify(points))
  const pool = `sweep-${process.pid}-${Date.now()}`
  const workers = sweep.isDask === true ? await startDask(folder) : await startGrid(pool, machine)
  try {
    const command = sweep.command({ pool, ...workers, enters: killAt !== undefined })
    const since = performance.now()
    const submitter = machine.start(command)
    let last = submitter
    let done = 0
    if (killAt !== undefined) {
      await sleep(killAt)
      done = await untilBegun(pool, machine, submitter)
      await submitter.kill()
      last = machine.another(join(folder, 'other')).start(command)
    }
    const output = await last.output()
    const took = performance.now() - since
    check(output, points)
    return { took, done }
  } finally {
    await workers.stop()
  }
}

/** Waits until a part of the sweep is done, or its submitter has ended. Returns that share. */
async function untilBegun(pool: string, machine: Machine, submitter: Running): Promise<number> {
  while (!submitter.hasEnded) {
    try {
      const { covered } = JSON.parse(await machine.start(statusOf(pool)).output()) as { readonly covered: number }
      if (covered > 0) return covered
    } catch {
      // The workers do not know the job yet.
    }
    await sleep(LOOK_AGAIN)
  }
  return 0
}

async function startGrid(pool: string, { env }: Machine): Promise<Workers> {
  const swarm = new ProcessSwarm({ bin: jelBin, command: 'work', name: pool, env: () => env })
  const stop = async (): Promise<void> => await swarm.stop()
  try {
    // The first process makes the owner's key.
    for (let worker = 0; worker < WORKERS; worker++) await swarm.start(1, { args: ['--workers', '1'] })
    if ((await swarm.until(() => swarm.agree(), ENTER)) === undefined) throw new Error('the workers do not see each other')
    return { address: swarm.running[0]?.process.address ?? '', scheduler: '', stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startDask(folder: string): Promise<Workers> {
  const port = await freePort()
  const scheduler = `tcp://127.0.0.1:${port}`
  const program = (command: string): string[] => ['-m', `distributed.cli.dask_${command}`, '--no-dashboard', '--host', '127.0.0.1']
  const servers = [await startServer(PYTHON, [...program('scheduler'), '--port', `${port}`], folder, port)]
  for (let worker = 0; worker < WORKERS; worker++)
    servers.push(startProgram(PYTHON, [...program('worker'), scheduler, '--nthreads', '1', '--no-nanny'], folder))
  return { address: '', scheduler, stop: async () => void (await Promise.all(servers.map((each) => end(each, END)))) }
}

/** @throws Error if a row is missing or wrong, or occurs twice */
function check(stdout: string, points: readonly Point[]): void {
  const rows = stdout.trimStart().startsWith('[')
    ? (JSON.parse(stdout) as { readonly y: number }[])
    : stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly value: { readonly y: number } }).value)
  if (rows.length !== points.length || rows.some(({ y }, at) => y !== (points[at] as Point).x ** 2))
    throw new Error(`the table is wrong: ${rows.length} rows, ${stdout.slice(0, 200)}`)
}
