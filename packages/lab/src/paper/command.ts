/**
 * Re-runs the evaluation of the JEL paper: Figures 5 to 8, Tables II and III, with this project's
 * protocol beside the six of the paper, and draws its Figure 9.
 *
 *     pnpm paper                                   # everything, some hours of processor time
 *     pnpm paper --scale 0.2                       # a fifth of the nodes
 *     pnpm paper --only figure-6 --protocols jel   # these again; other results stay
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { originOf, type Origin } from '../base/figures.ts'
import { replaceSection } from '../base/markdown.ts'
import { chosen, positive, command, type Values, whole } from '../base/program.ts'
import { claims, verdictOf } from './claims.ts'
import { contenders } from './contender.ts'
import { experimentNames } from './experiment.ts'
import { draw } from './figures.ts'
import { Outcome } from './outcome.ts'
import { inOrder, keyOf, planTrials, small } from './plans.ts'
import { tables } from './tables.ts'
import { runTrials } from './trials.ts'
import type { TrialResult } from './trial.ts'

const USAGE = `pnpm lab paper [options]

  --only figure-5,…         which experiments: ${experimentNames.join(', ')}
  --protocols jel,gossip    which protocols: ${contenders.join(', ')}
  --scale 1,0.2             shares of the paper's nodes; what the paper leaves open is varied with a fifth of them
  --seeds N                 at most so many (3 at full size, 20 below)
  --out FOLDER              where curves, tables and results.json go; what is there is kept up to date (docs/jel-paper)
  --threads N               trials at once (${availableParallelism()})
  --draw                    run nothing, only draw and tabulate what is there

Tables are written into docs/jel-paper.md when the folder is docs/jel-paper. Status 1 if a claim that this project makes of itself does not hold.
`

const options = {
  only: { type: 'string', default: experimentNames.join() },
  protocols: { type: 'string', default: contenders.join() },
  scale: { type: 'string', default: `1,${small}` },
  seeds: { type: 'string' },
  out: { type: 'string', default: 'docs/jel-paper' },
  threads: { type: 'string', default: String(availableParallelism()) },
  draw: { type: 'boolean', default: false },
} as const

/** The document with the tables, and the folder beside it. */
const document = 'docs/jel-paper.md'
const folder = 'docs/jel-paper'

interface Found {
  /** The runs behind the trials, the latest last, each with its number of trials. */
  readonly origins: readonly (Origin & { readonly trials: number })[]
  readonly trials: readonly TrialResult[]
}

async function main(values: Values<typeof options>): Promise<number> {
  const wanted = {
    experiments: chosen('only', values.only, experimentNames),
    contenders: chosen('protocols', values.protocols, contenders),
    scales: values.scale.split(',').map((each) => positive('scale', each)),
    seeds: values.seeds === undefined ? undefined : whole('seeds', values.seeds),
  }
  const threads = whole('threads', values.threads)
  const file = join(values.out, 'results.json')
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Found) : undefined
  const results = new Map((before?.trials ?? []).map((result) => [keyOf(result), result]))
  const plans = values.draw ? [] : planTrials(wanted, results)
  const origin = { ...originOf(), trials: plans.length }
  // A run of everything leaves nothing of the runs before.
  const isAll = plans.length >= results.size
  const origins = [...(isAll ? [] : (before?.origins ?? [])), ...(plans.length > 0 ? [origin] : [])]
  mkdirSync(values.out, { recursive: true })
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
  return await report({ origins, trials: inOrder(results.values()) }, values.out)
}

async function report({ origins, trials }: Found, out: string): Promise<number> {
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
  return outcomes.some((outcome) => claims.some((claim) => claim.ours && !['holds', 'not run'].includes(verdictOf(claim, outcome)))) ? 1 : 0
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

/** Writes one trial a line, for readable diffs. */
function written({ origins, trials }: Found): string {
  return `{"origins":${JSON.stringify(origins)},"trials":[\n${trials.map((trial) => JSON.stringify(trial)).join(',\n')}\n]}\n`
}

export const experiment = command(USAGE, options, main)
