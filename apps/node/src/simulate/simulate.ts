import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import {
  FolderExistsError,
  loadScenario,
  OutputFolder,
  parseSeeds,
  runName,
  runScenario,
  ScenarioError,
  shippedScenarios,
  shrink,
  summaryOf,
  sweep,
  SweepError,
  Unfit,
  writeOutput,
  writeScenario,
  type Outcome,
  type Scenario,
  type Task,
} from '@jel/simulator'
import { SingleBar } from 'cli-progress'
import pc from 'picocolors'
import { commandOf, print, show, type SimulateFlags } from './report.ts'
import { Countdown, timeToGo, writeTimeToGo } from './time-to-go.ts'
import { messageOf, UsageError } from '../base/usage-error.ts'

/** The time limit of shrinking, ms. A guess: a person does not wait longer. */
const shrinkTime = 120_000

/**
 * Runs a scenario and reports its outcome. Returns 0: all as expected; 1: a broken promise or an
 * unmet expectation; 2: wrong usage.
 */
export async function simulate(file: string | undefined, flags: SimulateFlags): Promise<number> {
  if (flags.list === true) {
    for (const [name, path] of shippedScenarios()) print(`${name.padEnd(20)} ${loadScenario(path).description}`)
    return 0
  }
  if (file === undefined) throw new UsageError('which scenario? Name a file, or one of those that jel simulate --list shows')
  try {
    return await run(file, flags)
  } catch (error) {
    if (error instanceof ScenarioError) {
      for (const line of error.message.split('\n')) process.stderr.write(`jel: ${line}\n`)
      return 2
    }
    if (error instanceof FolderExistsError) throw new UsageError(error.message)
    if (error instanceof SweepError) throw new Error(`the simulator failed: ${error.message}`, { cause: error })
    throw error
  }
}

async function run(file: string, flags: SimulateFlags): Promise<number> {
  const path = pathOf(file)
  if (flags.trace === true && flags.out === undefined) throw new UsageError('--trace needs --out: where to write')
  if (flags.replay !== undefined) {
    if (flags.seeds !== undefined || flags.sweep.length > 0)
      throw new UsageError('--replay is one run: it goes neither with --seeds nor with --sweep')
    return replay(path, flags, flags.replay)
  }
  if (flags.shrink !== undefined) throw new UsageError('--shrink needs --replay: which run to make smaller')
  const scenarios = variants(flags.sweep).map((set) => ({ set, scenario: seeded(loadScenario(path, [...flags.set, ...set]), flags) }))
  const [first] = scenarios
  if (first === undefined) throw new UsageError('nothing to run')
  const folder = flags.out === undefined ? undefined : new OutputFolder(flags.out)
  try {
    const tasks = scenarios.flatMap(({ set, scenario }) =>
      scenario.seeds.map((seed): Task => ({
        scenario,
        seed,
        set,
        ...(flags.trace === true && folder && { traceFile: join(folder.draft, `${runName({ set, seed })}.jsonl`) }),
      })),
    )
    const outcomes = await runAll(tasks, flags.workers)
    if (folder !== undefined) {
      await writeOutput(folder, first.scenario, outcomes, commandOf(file, flags))
      folder.finish()
    }
    for (const { set, scenario } of scenarios)
      show(
        file,
        flags,
        scenario,
        set,
        outcomes.filter((outcome) => outcome.set === set || outcome.set.join() === set.join()),
      )
    if (folder !== undefined) print(`\n${pc.dim('report:')} ${relative('', join(folder.path, 'report.html'))}`)
    return summaryOf(outcomes).failures.length === 0 ? 0 : 1
  } finally {
    folder?.discard()
  }
}

/** Returns the path of a file, or of a shipped scenario by its name. */
function pathOf(file: string): string {
  if (existsSync(file)) return file
  return shippedScenarios().get(file) ?? file
}

function seeded(scenario: Scenario, { seeds }: SimulateFlags): Scenario {
  if (seeds === undefined) return scenario
  const parsed = parseSeeds(seeds)
  if (parsed instanceof Unfit) throw new UsageError(`--seeds ${seeds}: ${parsed.reason}`)
  return { ...scenario, seeds: parsed }
}

/** Returns all combinations of `--sweep KEY=A,B,C`. */
function variants(sweeps: readonly string[]): string[][] {
  let all: string[][] = [[]]
  for (const each of sweeps) {
    const [, key, values] = /^([^=]+)=(.+)$/u.exec(each) ?? []
    if (key === undefined || values === undefined) throw new UsageError(`--sweep ${each}: expected KEY=A,B,C, such as nodes=100,200,400`)
    all = all.flatMap((before) => values.split(',').map((value) => [...before, `${key}=${value.trim()}`]))
  }
  return all
}

async function runAll(tasks: readonly Task[], workers: number | undefined): Promise<Outcome[]> {
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: '{bar} {percentage}% | {done}/{runs} runs | {toGo} to go',
        stream: process.stderr,
        hideCursor: true,
        clearOnComplete: true,
      })
    : undefined
  const abort = new AbortController()
  const interrupted = (): void => abort.abort(new Error('interrupted; nothing was written'))
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  const runs = tasks.length
  const start = performance.now()
  const took: number[] = []
  const countdown = new Countdown()
  bar?.start(1_000, 0, { done: 0, runs, toGo: '?' })
  try {
    return await sweep(tasks, {
      signal: abort.signal,
      ...(workers !== undefined && { workers }),
      onOutcome: (outcome) => void took.push(outcome.took),
      onProgress: (share, done) => {
        const elapsed = performance.now() - start
        const toGo = writeTimeToGo(countdown.show(timeToGo({ elapsed, share, runs, took, workers }), elapsed))
        bar?.update(Math.floor(share * 1_000), { done, runs, toGo })
      },
    })
  } finally {
    bar?.stop()
    process.off('SIGINT', interrupted)
    process.off('SIGTERM', interrupted)
  }
}

/**
 * Repeats a run with a full report. On request it also finds the smallest scenario that fails in
 * the same way.
 */
async function replay(path: string, flags: SimulateFlags, what: string): Promise<number> {
  const [, digits, hash] = /^(\d+)(?::([0-9a-f]{16}))?$/u.exec(what) ?? []
  if (digits === undefined) throw new UsageError(`--replay ${what}: expected a seed, or what a failure printed, such as 7:0123456789abcdef`)
  if (flags.shrink !== undefined && existsSync(flags.shrink))
    throw new UsageError(`${flags.shrink} is there already; remove it or name another file`)
  const seed = Number(digits)
  const scenario = { ...loadScenario(path, flags.set), seeds: [seed] }
  const folder = flags.out === undefined ? undefined : new OutputFolder(flags.out)
  try {
    const traceFile = folder && join(folder.draft, `${runName({ set: [], seed })}.jsonl`)
    const outcomes = await runAll([{ scenario, seed, set: [], ...(traceFile !== undefined && { traceFile }) }], 1)
    if (folder !== undefined) {
      await writeOutput(folder, scenario, outcomes, commandOf(path, flags))
      folder.finish()
    }
    show(path, flags, scenario, [], outcomes)
    const [outcome] = outcomes
    if (hash !== undefined && outcome !== undefined) {
      const same = outcome.result.traceHash === hash
      print(
        same
          ? '\nThe same history.'
          : `\nNot the same history (${outcome.result.traceHash}): the program or the scenario has changed since.`,
      )
    }
    if (flags.shrink !== undefined && outcome !== undefined) makeSmaller(scenario, outcome, flags.shrink)
    return outcome !== undefined && summaryOf([outcome]).failures.length > 0 ? 1 : 0
  } finally {
    folder?.discard()
  }
}

function makeSmaller(scenario: Scenario, { result }: Outcome, file: string): void {
  const end = performance.now() + shrinkTime
  const smaller = shrink(scenario, result, {
    run: (candidate, seed) => runScenario({ scenario: candidate, seed }).result,
    goOn: () => performance.now() < end,
    onSmaller: (found, tried) =>
      process.stderr.write(`${tried} tried: ${found.nodes} nodes, ${found.actions.length} actions, ${found.duration / 1_000}s\n`),
  })
  if (smaller === undefined) {
    print('Nothing failed, so there is nothing to make smaller.')
    return
  }
  const draft = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(draft, writeScenario(smaller), { flag: 'wx' })
    // Unlike a rename, a link does not replace a file that appeared meanwhile.
    linkSync(draft, file)
  } catch (error) {
    throw new Error(`can't write ${file}: ${messageOf(error)}`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
  print(`${file}: ${smaller.nodes} nodes, ${smaller.actions.length} actions, ${smaller.duration / 1_000}s, and it fails in the same way`)
}
