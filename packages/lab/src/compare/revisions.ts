/**
 * Compares this checkout with another revision. Runs the same benchmark on both in turn, on one
 * machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { keep } from '../base/child.ts'
import { readDraw, type DrawnRow } from '../base/draw.ts'
import { inCheckout } from '../base/paths.ts'
import { oneOf, optional, UsageError, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { BENCHES, NAMES, type Bench } from './benches.ts'
import { build, bundle, commitOf } from './revision.ts'
import { compare, NOISE, table, type Compared } from './verdict.ts'

/** Above this load average another program runs, and may influence the figures. */
const QUIET = 0.5

export const experiment = bench({
  about: 'this checkout beside another revision: which rows of a benchmark differ',
  operands: 'REVISION, and after -- further options of the benchmark',
  settings: {
    bench: oneOf(NAMES, `the benchmark, one of ${NAMES.join(', ')}`),
    only: optional('PARTS', "passed to the benchmark's own --only (default: the benchmark measures everything)"),
    draws: whole(3, 'runs of the benchmark on each revision, in turn: old, new, old, new, ...'),
  },
  notes: `Builds the revision in a separate folder below the system's temporary folder. A row differs if the ranges of the two
revisions do not overlap and one median is at least ${NOISE} times the other. Exit status 1 if a row got worse.`,
  prepare(_, [revision]) {
    if (revision === undefined) throw new UsageError('expected one revision; pnpm lab compare --help')
    commitOf(revision)
    return undefined
  },
  async measure({ bench: name, only, draws }, { folder, operands: [revision = '', ...further], origin }) {
    const chosen: Bench = BENCHES[name]
    const commit = commitOf(revision)
    const { loadAverage } = origin.machine
    if (loadAverage > QUIET) console.log(`Load average at the start: ${loadAverage}. Figures of a busy machine say little.`)
    const checkout = join(folder, 'checkout')
    build(commit, checkout)
    bundle(inCheckout('.'))
    chosen.prepare(checkout)
    const flags = [...chosen.args, ...(only === undefined ? [] : ['--only', only]), ...further]
    const file = join(folder, 'draw.json')
    const { old, now, problem } = await drawInTurn(draws, async (side) => {
      await runBench([...chosen.on(side === 'old' ? checkout : undefined), ...flags, '--draw', file])
      return readDraw(file)
    })
    const rows = compare(old, now)
    console.log(`Old: ${commit.slice(0, 7)}. New: ${origin.revision}. ${draws} draws each, in turn, of ${name} ${flags.join(' ')}.\n`)
    console.log(`${table(rows)}\n\n${summary(rows)}`)
    if (problem !== undefined) throw new UsageError(`not all draws were made: ${problem}`)
    return rows
  },
  passed: (rows) => rows.every(({ verdict }) => verdict !== 'worse'),
})

interface Drawn {
  readonly old: DrawnRow[][]
  readonly now: DrawnRow[][]
  /** The reason why draws are missing. The result keeps the draws before the problem. */
  readonly problem?: string
}

async function drawInTurn(draws: number, drawOne: (side: 'old' | 'now') => Promise<DrawnRow[]>): Promise<Drawn> {
  const drawn = { old: [] as DrawnRow[][], now: [] as DrawnRow[][] }
  for (let draw = 1; draw <= draws; draw++) {
    for (const side of ['old', 'now'] as const) {
      console.error(`${side === 'now' ? 'new' : 'old'}, draw ${draw} of ${draws}`)
      try {
        drawn[side].push(await drawOne(side))
      } catch (error) {
        if (error instanceof UsageError) return { ...drawn, problem: error.message }
        throw error
      }
    }
  }
  return drawn
}

/** Sends the benchmark's own table to standard error, together with the progress messages. */
async function runBench(args: readonly string[]): Promise<void> {
  const child = keep(spawn(process.execPath, args, { stdio: ['ignore', process.stderr, process.stderr] }))
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status !== 0) throw new UsageError(`the benchmark ended with ${status ?? 'a signal'}: ${args.slice(1).join(' ')}`)
}

function summary(rows: readonly Compared[]): string {
  const named = (verdict: Compared['verdict']): string =>
    rows
      .filter((row) => row.verdict === verdict)
      .map(({ name }) => name)
      .join('; ') || 'nothing'
  return `Worse: ${named('worse')}.\nBetter: ${named('better')}.`
}
