/**
 * Compares this checkout with another revision: the same benchmark of both, in turn, on one
 * machine.
 *
 *     pnpm lab compare HEAD~1 --only single,many -- --nodes 20
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keep, takeChildrenAlong } from '../base/child.ts'
import { readDraw, type DrawnRow } from '../base/draw.ts'
import { originOf } from '../base/figures.ts'
import { machine } from '../base/machine.ts'
import { oneOf, UsageError, whole, type Command } from '../base/program.ts'
import { BENCHES, NAMES, type Bench } from './benches.ts'
import { build, commitOf } from './revision.ts'
import { compare, NOISE, table, type Compared } from './rows.ts'

const usage = `pnpm lab compare REVISION [options] [-- further options of the benchmark]

  --bench field    of ${NAMES.join(', ')}
  --only PARTS     what the benchmark's own --only takes (default: all that it measures)
  --draws 3        times that each revision runs it, in turn: old, new, old, new, ...

Builds the revision in a folder of its own below the system's temporary folder. A row differs if no value of one
revision lies within the range of the other and the medians are further apart than ${NOISE} times.
Exit status 1 where a row got worse.
`

const options = {
  bench: { type: 'string', default: 'field' },
  only: { type: 'string' },
  draws: { type: 'string', default: '3' },
  help: { type: 'boolean' },
} as const

/** Above this load another program runs, and a figure may be due to it. */
const QUIET = 0.5

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, tokens: true })
  if (values.help === true) {
    process.stdout.write(usage)
    return 0
  }
  const end = args.indexOf('--')
  const further = end === -1 ? [] : args.slice(end + 1)
  const [revision, ...rest] = positionals.slice(0, positionals.length - further.length)
  if (revision === undefined || rest.length > 0) throw new UsageError('expected one revision; pnpm lab compare --help')
  const bench: Bench = BENCHES[oneOf('bench', values.bench, NAMES)]
  const draws = whole('draws', values.draws)
  const commit = commitOf(revision)
  takeChildrenAlong()
  const { loadAverage } = machine()
  if (loadAverage > QUIET) console.log(`Load average at the start: ${loadAverage}. Figures of a busy machine say little.`)
  const checkout = build(commit, say)
  const folder = mkdtempSync(join(tmpdir(), 'jel-draws-'))
  try {
    bench.prepare(checkout.folder)
    const flags = [...bench.args, ...(values.only === undefined ? [] : ['--only', values.only]), ...further]
    const file = join(folder, 'draw.json')
    const { old, now, problem } = await drawInTurn([checkout.folder, undefined], draws, async (where) => {
      await runBench([...bench.on(where), ...flags, '--draw', file])
      return readDraw(file)
    })
    const rows = compare(old, now)
    console.log(
      `Old: ${commit.slice(0, 7)}. New: ${originOf().revision}. ${draws} draws each, in turn, of ${values.bench} ${flags.join(' ')}.\n`,
    )
    console.log(`${table(rows)}\n\n${summary(rows)}`)
    if (problem !== undefined) throw new UsageError(`not all draws were made: ${problem}`)
    return rows.some(({ verdict }) => verdict === 'worse') ? 1 : 0
  } finally {
    checkout.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Drawn {
  readonly old: DrawnRow[][]
  readonly now: DrawnRow[][]
  /** Why draws are missing. The draws before the problem are kept. */
  readonly problem?: string
}

async function drawInTurn(
  places: readonly [old: string, now: undefined],
  draws: number,
  drawOne: (where: string | undefined) => Promise<DrawnRow[]>,
): Promise<Drawn> {
  const drawn = { old: [] as DrawnRow[][], now: [] as DrawnRow[][] }
  for (let draw = 1; draw <= draws; draw++) {
    for (const where of places) {
      const side = where === undefined ? 'now' : 'old'
      say(`${where === undefined ? 'new' : 'old'}, draw ${draw} of ${draws}`)
      try {
        drawn[side].push(await drawOne(where))
      } catch (error) {
        if (error instanceof UsageError) return { ...drawn, problem: error.message }
        throw error
      }
    }
  }
  return drawn
}

/** The benchmark's own table goes to standard error, like all progress messages. */
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

function say(text: string): void {
  console.error(text)
}

export const experiment: Command = { usage, run }
