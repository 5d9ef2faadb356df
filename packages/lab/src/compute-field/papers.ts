/**
 * Runs the papers' programs on the grid, with one worker and with two. A further program needs one
 * more entry in `PROGRAMS`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inCheckout } from '../base/paths.ts'
import { sum } from '../base/quantiles.ts'
import { within } from '../base/wait.ts'
import { withCluster } from './contender.ts'
import { startGrid } from './grid.ts'

interface Program {
  readonly name: string
  /** File in apps/examples/src, and the function in it. */
  readonly file: string
  readonly fn: string
  readonly input: unknown
  /** A file in apps/examples/data. The input names it as `data`. */
  readonly data?: string
  /** The paper's own figures. */
  readonly paper: string
  readonly isRight: (result: unknown) => boolean
}

/**
 * Range of RC5 keys to search. The right key is not among them, because the time until a search
 * finds it depends on chance.
 */
const KEYS = [2 ** 22, 2 ** 22 + 2 ** 24] as const

const PROGRAMS: readonly Program[] = [
  {
    name: 'TSP, burma14',
    file: 'tsp.ts',
    fn: 'search',
    input: undefined,
    paper: 'Javelin 2.0: 77 times on 100 hosts (77 %); Satin: 93 % of 256 cores',
    isRight: (tour) => (tour as { cost: number }).cost === 3323,
  },
  {
    name: 'RC5, 16.8 million keys',
    file: 'rc5.ts',
    fn: 'find',
    input: [KEYS],
    paper: 'Jalapeno: near ideal, with one bundle of keys at a time',
    isRight: (key) => key === undefined,
  },
  {
    name: 'PrimeFinder, the millionth prime',
    file: 'primes.ts',
    fn: 'nth',
    input: { threads: 8, count: 1_000_000 },
    paper: 'GTPE: 3.0 to 3.6 times',
    isRight: (prime) => prime === 15_485_863,
  },
  {
    name: 'QAP, nug12',
    file: 'qap.ts',
    fn: 'qap',
    input: undefined,
    data: 'nug12.dat',
    paper: 'MW: η 0.83 to 0.92',
    isRight: (layout) => (layout as { cost: number }).cost === 578,
  },
]

/** The results of one program. */
export interface PaperRun {
  readonly name: string
  readonly paper: string
  /** ms, with one worker and with two. */
  readonly ms: readonly [number, number]
  /** Share of the workers' time that they spent at tasks, with two workers (MW's η). */
  readonly eta: number
  readonly isRight: boolean
}

/** Longest time that one run may take, ms. */
const LIMIT = 300_000
const COUNTS = [1, 2] as const

export async function papers(parent: string): Promise<PaperRun[]> {
  const runs = new Map(PROGRAMS.map((program) => [program, [] as { ms: number; atTasks: number; isRight: boolean }[]]))
  for (const workers of COUNTS) {
    await withCluster(startGrid, { workers, parent }, async ({ client }, folder) => {
      // An unmeasured first job starts the workers.
      await within(LIMIT, 'a first job', client.inTurn(10))
      for (const program of PROGRAMS) {
        const { name, file, fn, input, data } = program
        const log = join(folder, `${file}.log`)
        writeFileSync(log, '')
        const timed = writeTimed(folder, file, log)
        const running = client.program(timed, fn, input, data && inCheckout(`apps/examples/data/${data}`))
        const { ms, result } = await within(LIMIT, name, running)
        const atTasks = sum(readFileSync(log, 'utf8').split('\n').map(Number))
        runs.get(program)?.push({ ms, atTasks, isRight: program.isRight(result) })
        console.error(`${name}, ${workers} workers: ${(ms / 1000).toFixed(2)} s`)
      }
    })
  }
  return [...runs].map(([{ name, paper }, [one, two]]) => {
    if (one === undefined || two === undefined) throw new Error(`${name} did not run`)
    return { name, paper, ms: [one.ms, two.ms], eta: two.atTasks / two.ms / COUNTS[1], isRight: one.isRight && two.isRight }
  })
}

/**
 * Writes a program whose tasks log their duration. It leaves out tasks that call other tasks: while
 * they wait, they are not at work.
 */
function writeTimed(folder: string, file: string, log: string): string {
  const program = JSON.stringify(inCheckout(`apps/examples/src/${file}`))
  const timed = join(folder, `timed-${file}`)
  writeFileSync(
    timed,
    `import { appendFileSync } from 'node:fs'
import * as program from ${program}
export * from ${program}

for (const task of Object.values(program)) {
  if (task?.kind !== 'task') continue
  const { run } = task
  task.run = async (input, context) => {
    let waits = false
    const begin = performance.now()
    const value = await run(input, { ...context, run: (...call) => { waits = true; return context.run(...call) } })
    if (!waits) appendFileSync(${JSON.stringify(log)}, (performance.now() - begin).toFixed(3) + '\\n')
    return value
  }
}
`,
  )
  return timed
}
