/**
 * Runs a scenario of the simulator on real node processes, on hosts that are network namespaces.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { loadScenario, ScenarioError, type Scenario } from '@jel/simulator'
import { keep } from '../base/child.ts'
import { keepFigures } from '../base/figures.ts'
import { jelBin, labMain } from '../base/paths.ts'
import { flag, optional, repeated, seconds, text, UsageError, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { noNamespaces } from '../network/namespaces.ts'
import { provide, UnableError } from '../network/tools.ts'
import { besideSimulator, shown } from './beside.ts'
import { refusals } from './refusals.ts'
import { table, verdictLines } from './report.ts'
import { runScenario, type Result } from './run.ts'
import { runTrial, TRIALS } from './trials.ts'

/** One run, in a separate process with its own namespaces. */
interface Part {
  /** The name of the run in messages. */
  readonly what: string
  readonly args: readonly string[]
  /** Folder for the output of its nodes, below `--out`. */
  readonly said: string
}

/** The result of all runs. `isGood`: all expectations held. */
interface Outcome {
  readonly text: string
  readonly isGood: boolean
}

export const experiment = bench({
  about: 'a scenario file on real processes, on hosts that are network namespaces',
  operands: 'scenario FILEs, as jel simulate takes them',
  settings: {
    trial: repeated('NAME', `run a trial instead of scenarios: ${Object.keys(TRIALS).join(', ')}, or all; may be repeated`),
    set: repeated('KEY=VALUE', 'change a value of the scenarios; may be repeated'),
    runs: whole(1, 'runs of each scenario, each in its own namespaces'),
    atOnce: whole(1, 'runs at the same time'),
    apart: seconds(0, 'seconds between the starts of two runs, so that their busy phases do not coincide', {
      orNone: true,
    }),
    seed: whole(1, 'seed of the first run; later runs have the next seeds'),
    busy: flag('let tasks of jobs keep a processor busy instead of waiting'),
    out: optional('FOLDER', 'keep the output of every node'),
    json: optional('FILE', 'write all results as JSON'),
    beside: flag('also run each scenario in the simulator with the same seed, and show the verdicts side by side'),
    keep: flag(`like --beside, and write the verdicts to docs/figures/${shown.name}.json and ${shown.document}`),
    bin: text(jelBin, "the entry of jel's command line (default: this checkout's)", 'FILE'),
  },
  notes: `Needs Linux, and root or user namespaces. As root on Debian it installs iproute2 and iptables if they are missing.
Exit status: 0 if all expectations held, 1 if not, 2 with the reason if the scenario can't be run.`,
  where: ({ trial, runs }, files) => (partsOf(trial, files, runs) === 1 ? 'hosts' : 'here'),
  prepare({ trial, set, runs }, files) {
    if (files.length === 0 && trial.length === 0) throw new UsageError('expected a scenario FILE, or --trial; pnpm lab scenario --help')
    for (const file of trial.length > 0 ? [] : files) {
      const reasons = refusals(load(file, set))
      if (reasons.length > 0) throw new UnableError(reasons.map((reason) => `${file}: ${reason}`).join('\n'))
    }
    provide('network', ...namesOf(trial).flatMap((name) => TRIALS[name]?.needs ?? []))
    if (partsOf(trial, files, runs) === 1) return undefined
    const problem = noNamespaces()
    if (problem !== undefined) throw new UnableError(problem)
    return undefined
  },
  async measure({ trial, ...values }, { folder, operands: files, origin }): Promise<Outcome> {
    const { set, runs, atOnce, apart, seed, busy, out, json, bin } = values
    const names = namesOf(trial)
    const isOne = partsOf(trial, files, runs) === 1
    if (isOne && names.length > 0) {
      const verdicts = await runTrial(names[0] ?? '', bin, out)
      return { text: `${names[0]}\n${verdictLines(verdicts)}`, isGood: verdicts.every(({ held }) => held) }
    }
    const results: Result[] = []
    if (isOne) {
      if (out !== undefined) mkdirSync(out, { recursive: true })
      results.push(await runScenario(load(files[0] ?? '', set), { bin, seed, out, folder, busy }))
    } else {
      const parts =
        names.length > 0
          ? names.map((name): Part => ({ what: name, args: ['--trial', name], said: name }))
          : files.flatMap((file) => Array.from({ length: runs }, (_, index) => partOf(file, seed + index, files.length > 1, set)))
      const more = ['--bin', bin, ...(busy ? ['--busy'] : [])]
      let isGood = true
      let nextStart = 0
      const worker = async (): Promise<void> => {
        for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
          const start = Math.max(Date.now(), nextStart)
          nextStart = start + apart
          await delay(start - Date.now())
          const { what, args, said } = part
          const file = join(folder, `${said.replaceAll('/', '-')}.json`)
          const to = [...(names.length > 0 ? [] : ['--json', file]), ...(out === undefined ? [] : ['--out', join(out, said)])]
          const all = [labMain, 'scenario', ...args, ...more, ...to]
          const child = keep(spawn(process.execPath, all, { stdio: ['ignore', 'inherit', 'inherit'] }))
          const [status] = (await once(child, 'exit')) as [number | null]
          isGood &&= status === 0
          if (names.length === 0) results.push(...resultsOf(file, what))
        }
      }
      await Promise.all(Array.from({ length: Math.min(names.length > 0 ? 1 : atOnce, parts.length) }, worker))
      if (names.length > 0) return { text: '', isGood }
    }
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, undefined, 2)}\n`)
    const texts = [table(results)]
    if (values.beside || values.keep) {
      const scenarios = new Map(files.map((file) => load(file, set)).map((scenario) => [scenario.name, scenario]))
      const rows = besideSimulator(results, (name) => scenarios.get(name) as Scenario)
      texts.push(shown.text(rows))
      if (values.keep) await keepFigures(shown, origin, rows)
    }
    const isBad = results.some(({ verdicts, lost }) => lost > 0 || verdicts.some(({ held }) => !held))
    return { text: texts.join('\n\n'), isGood: !isBad && results.length === files.length * runs }
  },
  table: ({ text }) => text,
  passed: ({ isGood }) => isGood,
})

function namesOf(trials: readonly string[]): readonly string[] {
  return trials.includes('all') ? Object.keys(TRIALS) : trials
}

/** Returns the number of runs. */
function partsOf(trials: readonly string[], files: readonly string[], runs: number): number {
  return trials.length > 0 ? namesOf(trials).length : files.length * runs
}

function partOf(file: string, seed: number, isOneOfSeveral: boolean, set: readonly string[]): Part {
  return {
    what: `${file}, seed ${seed}`,
    args: [file, '--seed', String(seed), ...set.flatMap((each) => ['--set', each])],
    // The name keeps the output of several scenarios' nodes apart.
    said: join(isOneOfSeveral ? basename(file, '.yaml') : '', `${seed}`),
  }
}

/** Loads a scenario. Throws a UsageError that states the errors in the file. */
function load(file: string, set: readonly string[]): Scenario {
  try {
    return loadScenario(file, set)
  } catch (error) {
    throw error instanceof ScenarioError ? new UsageError(error.message) : error
  }
}

function resultsOf(file: string, what: string): Result[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Result[]
  } catch (error) {
    console.error(`${what}: no result (${error instanceof Error ? error.message : String(error)})`)
    return []
  }
}
