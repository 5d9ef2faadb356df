/**
 * Re-runs the evaluation of the JEL paper: Figures 5 to 8 and Table II, with this project's protocol beside the six of the paper.
 *
 *     pnpm lab paper
 *     pnpm lab paper --only figure-6 --protocols jel,distributed     # these again; what was found of the others stays
 *     pnpm lab paper --scale 0.1 --out /tmp/look                     # a quick look, a tenth of the nodes
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { chosen, positive, command, type Values, whole } from '../base/program.ts'
import { contenders, type Contender } from './contender.ts'
import { experiments, type ExperimentName } from './experiment.ts'
import { draw } from './figures.ts'
import { Outcome } from './outcome.ts'
import { claims, isKnown, tables } from './tables.ts'
import { runTrials } from './trials.ts'
import type { TrialPlan, TrialResult } from './trial.ts'

const USAGE = `pnpm lab paper [options]

  --only figure-5,…         which experiments: ${experiments.map(({ name }) => name).join(', ')}
  --protocols jel,gossip    which protocols: ${contenders.join(', ')}
  --out FOLDER              where curves (SVG, CSV), tables and results.json go; what is there is kept up to date (docs/jel-paper)
  --threads N               trials at once (${availableParallelism()})
  --seed 1
  --scale 1                 share of the nodes
  --draw                    run nothing, only draw and tabulate what is there

Tables are written into docs/jel-paper.md when the folder is docs/jel-paper. Status 1 if something that must hold does not.
`

const options = {
  only: { type: 'string', default: experiments.map(({ name }) => name).join() },
  protocols: { type: 'string', default: contenders.join() },
  out: { type: 'string', default: 'docs/jel-paper' },
  threads: { type: 'string', default: String(availableParallelism()) },
  seed: { type: 'string', default: '1' },
  scale: { type: 'string', default: '1' },
  draw: { type: 'boolean', default: false },
} as const

/** The document with the tables, and the folder beside it. */
const document = 'docs/jel-paper.md'
const folder = 'docs/jel-paper'

async function main(values: Values<typeof options>): Promise<number> {
  const names = chosen(
    'only',
    values.only,
    experiments.map(({ name }) => name),
  )
  const protocols = chosen('protocols', values.protocols, contenders)
  const [scale, seed, threads] = [positive('scale', values.scale), whole('seed', values.seed), whole('threads', values.threads)]
  const file = join(values.out, 'results.json')
  const results = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TrialResult[]) : []
  const before = new Map(results.map((result) => [keyOf(result), result]))
  const plans = values.draw ? [] : planTrials(names, protocols, { seed, scale }, before)
  mkdirSync(values.out, { recursive: true })
  const started = performance.now()
  await runTrials(plans, threads, (result) => {
    before.set(keyOf(result), result)
    console.log(
      `${result.experiment} ${result.contender}: ${result.nodes} nodes, ${result.events} events, ${result.cpuSeconds.toFixed(0)} s of processor time`,
    )
    writeFileSync(file, written(before))
  })
  console.log(`${plans.length} trials in ${((performance.now() - started) / 1_000).toFixed(0)} s`)
  return await report(new Outcome([...before.values()]), values.out)
}

/** Whoever took longest the last time first, so that no thread waits for it at the end. */
function planTrials(
  names: readonly ExperimentName[],
  protocols: readonly Contender[],
  { seed, scale }: Pick<TrialPlan, 'seed' | 'scale'>,
  last: ReadonlyMap<string, TrialResult>,
): TrialPlan[] {
  const cost = (plan: TrialPlan): number => last.get(keyOf(plan))?.cpuSeconds ?? Infinity
  return experiments
    .filter(({ name }) => names.includes(name))
    .flatMap((experiment) =>
      experiment.contenders
        .filter((contender) => protocols.includes(contender))
        .map((contender): TrialPlan => ({ experiment: experiment.name, contender, seed, scale })),
    )
    .toSorted((a, b) => (cost(a) === cost(b) ? 0 : cost(b) - cost(a)))
}

async function report(outcome: Outcome, out: string): Promise<number> {
  for (const [name, text] of await draw(outcome)) writeFileSync(join(out, name), text)
  const made = tables(outcome)
  if (out === folder && existsSync(document)) writeFileSync(document, fillIn(readFileSync(document, 'utf8'), made))
  for (const [name, text] of made) console.log(`\n${name}\n\n${text}`)
  return claims(outcome)
    .filter(isKnown)
    .every(({ holds }) => holds)
    ? 0
    : 1
}

/** Puts each table between its marks: `<!-- table-2 -->` and `<!-- /table-2 -->`. */
function fillIn(text: string, made: ReadonlyMap<string, string>): string {
  let filled = text
  for (const [name, table] of made) {
    const [from, to] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [start, end] = [filled.indexOf(from), filled.indexOf(to)]
    if (start >= 0 && end > start) filled = `${filled.slice(0, start + from.length)}\n\n${table}\n\n${filled.slice(end)}`
  }
  return filled
}

function keyOf({ experiment, contender }: Pick<TrialPlan, 'experiment' | 'contender'>): string {
  return `${experiment} ${contender}`
}

/** One trial a line, in the order of the figures, so that changes can be read. */
function written(results: ReadonlyMap<string, TrialResult>): string {
  const lines = experiments.flatMap((experiment) =>
    experiment.contenders.flatMap((contender) => {
      const result = results.get(keyOf({ experiment: experiment.name, contender }))
      return result === undefined ? [] : [JSON.stringify(result)]
    }),
  )
  return `[\n${lines.join(',\n')}\n]\n`
}

export const experiment = command(USAGE, options, main)
