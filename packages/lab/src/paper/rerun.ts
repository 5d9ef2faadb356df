/**
 * Runs the evaluation of the JEL paper again: Figures 5 to 8, and Tables II and III. This project's
 * protocol runs beside the paper's six protocols. Also draws a Figure 9 of this project's pool.
 *
 *     pnpm paper                                   # all trials, some hours of processor time
 *     pnpm paper --scale 0.2                       # a fifth of the nodes
 *     pnpm paper --only figure-6 --protocols jel   # only these again; other results stay
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Origin } from '../base/figures.ts'
import { replaceSection } from '../base/markdown.ts'
import { flag, optional, readPositive, readWhole, someOf, text, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { claims, verdictOf } from './claims.ts'
import { contenders } from './contender.ts'
import { experimentNames } from './experiment.ts'
import { draw } from './figures.ts'
import { Outcome } from './outcome.ts'
import { inOrder, keyOf, planTrials, small } from './plans.ts'
import { tables } from './tables.ts'
import { runTrials } from './trials.ts'
import type { TrialResult } from './trial.ts'

/** The document with the tables, and the folder with the curves and results. */
const document = 'docs/jel-paper.md'
const folder = 'docs/jel-paper'

interface Found {
  /** The runs that made the trials, the latest last, each with its number of trials. */
  readonly origins: readonly (Origin & { readonly trials: number })[]
  readonly trials: readonly TrialResult[]
}

export const experiment = bench({
  about: 'the figures of the JEL paper, with its own implementations beside ours',
  settings: {
    only: someOf(experimentNames, 'experiments'),
    protocols: someOf(contenders, 'protocols'),
    scale: text(`1,${small}`, "shares of the paper's nodes; settings that the paper leaves open are varied at a fifth"),
    seeds: optional('N', 'most seeds (default: 3 at full size, 20 below)', readWhole),
    out: text(folder, 'folder of the curves and results.json; earlier results in it stay'),
    threads: whole(availableParallelism(), 'trials at once'),
    draw: flag('run nothing, only draw and tabulate the earlier results'),
  },
  notes: `Tables are written into ${document} when the folder is ${folder}. Exit status 1 if a claim of this project about itself does not hold.`,
  async measure({ only, protocols, scale, seeds, out, threads, draw: isDrawOnly }, { origin: present }) {
    const scales = scale.split(',').map((each) => readPositive('scale', each))
    const wanted = { experiments: only, contenders: protocols, scales, seeds }
    const file = join(out, 'results.json')
    const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Found) : undefined
    const results = new Map((before?.trials ?? []).map((result) => [keyOf(result), result]))
    const plans = isDrawOnly ? [] : planTrials(wanted, results)
    const origin = { ...present, trials: plans.length }
    // A run of all trials replaces all earlier runs.
    const isAll = plans.length >= results.size
    const origins = [...(isAll ? [] : (before?.origins ?? [])), ...(plans.length > 0 ? [origin] : [])]
    mkdirSync(out, { recursive: true })
    const started = performance.now()
    let done = 0
    await runTrials(plans, threads, (result) => {
      results.set(keyOf(result), result)
      done += 1
      const { experiment, contender, variation = 'as it is', nodes, seed, cpuSeconds } = result
      const took = (performance.now() - started) / 1_000
      console.log(
        `${done}/${plans.length} ${took.toFixed(0)} s: ${experiment} ${contender}, ${nodes} nodes, seed ${seed}, ${variation}: ${cpuSeconds.toFixed(0)} s of processor time`,
      )
      writeFileSync(file, written({ origins, trials: inOrder(results.values()) }))
    })
    return await report({ origins, trials: inOrder(results.values()) }, out)
  },
  passed: (isPassed) => isPassed,
})

async function report({ origins, trials }: Found, out: string): Promise<boolean> {
  for (const [name, text] of await draw(trials)) writeFileSync(join(out, name), text)
  const made = tables(trials)
  made.set('origin', originText({ origins, trials }))
  for (const [name, text] of made) console.log(`\n${name}\n\n${text}`)
  if (out === folder && existsSync(document)) {
    let text = readFileSync(document, 'utf8')
    for (const [name, table] of made) text = replaceSection(text, name, `\n${table}\n`)
    writeFileSync(document, text)
  }
  const scales = [...new Set(trials.map(({ scale }) => scale))]
  const outcomes = scales.map((scale) => new Outcome(trials, scale))
  return outcomes.every((outcome) => claims.every((claim) => !claim.ours || ['holds', 'not run'].includes(verdictOf(claim, outcome))))
}

function originText({ origins, trials }: Found): string {
  const minutes = (of: readonly TrialResult[]): string => (of.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / 60).toFixed(0)
  const whole = trials.filter(({ scale }) => scale === 1)
  const rest = trials.filter(({ scale }) => scale !== 1)
  const runs = origins.map(
    ({ revision, date, trials: count, machine: { node, cores, processor } }) =>
      `${count} trials at ${revision}, ${date}, Node ${node.replace('v', '')}, ${cores} cores (${processor})`,
  )
  return `${runs.join('; then ')}. ${minutes(whole)} minutes of processor time at the paper's sizes, ${minutes(rest)} below.`
}

/** Formats the results with one trial a line, for readable diffs. */
function written({ origins, trials }: Found): string {
  return `{"origins":${JSON.stringify(origins)},"trials":[\n${trials.map((trial) => JSON.stringify(trial)).join(',\n')}\n]}\n`
}
