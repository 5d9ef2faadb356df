/**
 * The laboratory: runs a scenario of the simulator on real node processes, on hosts that are
 * network namespaces.
 *
 *     pnpm lab scenario packages/lab/scenarios/partition.yaml --runs 10 --at-once 5 --apart 160
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { loadScenario, ScenarioError, type Scenario } from '@jel/simulator'
import { keep, takeChildrenAlong } from '../base/child.ts'
import { jelBin, labMain } from '../base/paths.ts'
import { type Command, UsageError, whole } from '../base/program.ts'
import { keepFigures, originOf } from '../base/figures.ts'
import { besideSimulator, shown } from './beside.ts'
import { refusals } from './refusals.ts'
import { table, verdictLines } from './report.ts'
import { runScenario, type Result } from './run.ts'
import { provide, UnableError } from '../network/tools.ts'
import { runTrial, TRIALS } from './trials.ts'
import { noNamespaces, rerunInOwnNamespaces } from '../network/namespaces.ts'

const USAGE = `pnpm lab scenario FILE... [options]

  FILE            scenarios, as jel simulate takes them
  --trial NAME    instead of scenarios: ${Object.keys(TRIALS).join(', ')}, or all; may be repeated
  --set KEY=VALUE change a value of the scenarios; may be repeated
  --runs 1        runs of each scenario, each in namespaces of its own
  --at-once 1     runs side by side
  --apart 0       seconds between the starts of two runs: what is hard for the machine then comes for one after the other
  --seed 1        of the first run; the next ones have the next seeds
  --out FOLDER    keep what every node said
  --json FILE     write all results
  --beside        run each in the simulator, too, with the same seed, and show both side by side
  --keep          the same, and write that to docs/figures/scenarios.json, and docs/lab.md from there
  --bin FILE      the command line to run (default: this checkout's)

Needs Linux, and root or user namespaces. As root on Debian it installs iproute2 and iptables if they are missing.
Exit status: 0 if everything came true, 1 if not, 2 for what can't be run, with the reason.
`

const options = {
  trial: { type: 'string', multiple: true },
  set: { type: 'string', multiple: true },
  runs: { type: 'string', default: '1' },
  'at-once': { type: 'string', default: '1' },
  apart: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  out: { type: 'string' },
  json: { type: 'string' },
  beside: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  bin: { type: 'string', default: jelBin },
  help: { type: 'boolean', default: false },
} satisfies ParseArgsConfig['options']

type Values = ReturnType<typeof parse>['values']

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options, allowPositionals: true })
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help || (positionals.length === 0 && values.trial === undefined)) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  if (values.trial !== undefined) return await trials(values.trial, values)
  const [runs, atOnce, seed] = [whole('runs', values.runs), whole('at-once', values['at-once']), whole('seed', values.seed)]
  const pause = seconds(values.apart)
  for (const file of positionals) {
    const reasons = refusals(load(file, values.set ?? []))
    if (reasons.length > 0) throw new UnableError(reasons.map((reason) => `${file}: ${reason}`).join('\n'))
  }
  const [file] = positionals
  if (runs === 1 && positionals.length === 1 && file !== undefined) return await single(file, seed, values)
  provide('network')
  const problem = noNamespaces()
  if (problem !== undefined) throw new UnableError(problem)
  takeChildrenAlong()
  // Keeps the output of several scenarios' nodes apart.
  const apartFrom = (each: string): string => (positionals.length > 1 ? basename(each, '.yaml') : '')
  const jobs = positionals.flatMap((each) =>
    Array.from({ length: runs }, (_, index) => ({ file: each, seed: seed + index, said: join(apartFrom(each), `${seed + index}`) })),
  )
  const results: Result[] = []
  let nextStart = 0
  const worker = async (): Promise<void> => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const start = Math.max(Date.now(), nextStart)
      nextStart = start + pause * 1_000
      await delay(start - Date.now())
      results.push(...(await apart(job, values)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, worker))
  return await conclude(results, values, positionals.length * runs, positionals)
}

/** Loads a scenario. Throws a UsageError that states the faults of the file. */
function load(file: string, set: readonly string[]): Scenario {
  try {
    return loadScenario(file, set)
  } catch (error) {
    throw error instanceof ScenarioError ? new UsageError(error.message) : error
  }
}

/** Runs trials one after the other, each in namespaces of its own. */
async function trials(names: readonly string[], { bin, out }: Values): Promise<number> {
  const all = names.includes('all') ? Object.keys(TRIALS) : names
  const [name = '', ...others] = all
  provide('network', ...(TRIALS[name]?.needs ?? []))
  if (others.length > 0) {
    takeChildrenAlong()
    let failed = false
    for (const each of all) {
      const args = ['--trial', each, '--bin', bin, ...(out === undefined ? [] : ['--out', join(out, each)])]
      const child = keep(spawn(process.execPath, [labMain, 'scenario', ...args], { stdio: ['ignore', 'inherit', 'inherit'] }))
      const [status] = (await once(child, 'exit')) as [number | null]
      failed ||= status !== 0
    }
    return failed ? 1 : 0
  }
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const verdicts = await runTrial(name, bin, out)
  console.log(`${name}\n${verdictLines(verdicts)}`)
  return verdicts.every(({ held }) => held) ? 0 : 1
}

/** Runs one scenario, in this process once it is in its own namespaces. */
async function single(file: string, seed: number, values: Values): Promise<number> {
  provide('network')
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  if (values.out !== undefined) mkdirSync(values.out, { recursive: true })
  const result = await runScenario(load(file, values.set ?? []), {
    bin: values.bin,
    seed,
    out: values.out,
    say: (text) => console.error(text),
  })
  return await conclude([result], values, 1, [file])
}

interface Job {
  readonly file: string
  readonly seed: number
  /** Folder for the output of its nodes, below `--out`. */
  readonly said: string
}

/** Makes one run in a process of its own, beside others. */
async function apart({ file, seed, said }: Job, { set = [], out, bin }: Values): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  const clean = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', clean)
  const json = join(folder, 'result.json')
  const args = [file, '--seed', String(seed), '--json', json, '--bin', bin, ...set.flatMap((each) => ['--set', each])]
  if (out !== undefined) args.push('--out', join(out, said))
  try {
    const child = keep(spawn(process.execPath, [labMain, 'scenario', ...args], { stdio: ['ignore', 'inherit', 'inherit'] }))
    await once(child, 'exit')
    return JSON.parse(readFileSync(json, 'utf8')) as Result[]
  } catch (error) {
    console.error(`${file}, seed ${seed}: no result (${error instanceof Error ? error.message : String(error)})`)
    return []
  } finally {
    process.off('exit', clean)
    clean()
  }
}

async function conclude(results: readonly Result[], values: Values, expected: number, files: readonly string[]): Promise<number> {
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`)
  console.log(table(results))
  if (values.beside || values.keep) {
    const origin = originOf()
    const scenarios = new Map(files.map((file) => load(file, values.set ?? [])).map((scenario) => [scenario.name, scenario]))
    const rows = besideSimulator(results, (name) => scenarios.get(name) as Scenario)
    console.log(`\n${shown.text(rows)}`)
    if (values.keep) await keepFigures(shown, origin, rows)
  }
  const failed = results.some(({ verdicts, lost }) => lost > 0 || verdicts.some(({ held }) => !held))
  return failed || results.length < expected ? 1 : 0
}

function seconds(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0 && number <= 86_400) return number
  throw new UsageError(`--apart takes seconds, a day at most, not ${text === '' ? 'nothing' : text}`)
}

export const experiment: Command = { usage: USAGE, run: main }
