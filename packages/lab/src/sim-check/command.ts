/**
 * Runs a fixed set of scenarios and seeds in the simulator and compares the results with the
 * figures in packages/simulator/baseline.json. `pnpm lab sim-check --update` writes that file
 * again.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { sweep } from '@jel/simulator'
import { inCheckout } from '../base/paths.ts'
import { command } from '../base/program.ts'
import { figuresOf, guardTasks, replayOf, type Figures } from './cases.ts'
import { compare, table, tolerance } from './compare.ts'

const file = inCheckout('packages/simulator/baseline.json')

const USAGE = `pnpm lab sim-check [options]

  --update   write packages/simulator/baseline.json anew

Exit status 1 where something is more than ${tolerance * 100} % worse, a promise was broken, or something that is to happen did not.
`

export const experiment = command(USAGE, { update: { type: 'boolean', default: false } }, async ({ update }) => {
  const start = performance.now()
  const results = (await sweep(guardTasks())).map(({ result }) => result)
  const took = `${results.length} runs in ${((performance.now() - start) / 1_000).toFixed(0)} s`
  const broken = results.filter(({ violation }) => violation !== undefined)
  for (const { scenario, seed, violation } of broken) {
    console.log(`${scenario}: a promise was broken at ${(violation?.time ?? 0) / 1_000}s: ${violation?.what}`)
    console.log(`  ${replayOf(scenario, seed)}`)
  }
  const figures = figuresOf(results)
  const never = Object.entries(figures).flatMap(([scenario, each]) =>
    Object.keys(each)
      .filter((figure) => each[figure] === Infinity)
      .map((figure) => `${scenario}: ${figure}`),
  )
  if (never.length > 0) console.log(`never happened: ${never.join('; ')}`)
  if (broken.length > 0 || never.length > 0) return 1
  if (update) {
    writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`)
    console.log(`${took}; ${file} is written anew`)
    return 0
  }
  const differences = compare(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Figures>, figures)
  if (differences.length > 0) console.log(`${table(differences)}\n`)
  const worse = differences.filter(({ verdict }) => verdict === 'worse' || verdict === 'gone').length
  const what = worse === 0 ? 'nothing is more than' : `${worse} ${worse === 1 ? 'figure is' : 'figures are'} more than`
  console.log(`${took}: ${what} ${tolerance * 100} % worse than in packages/simulator/baseline.json`)
  if (worse > 0) console.log('If that is the price of something better: pnpm sim:check --update, and say in the commit what it bought.')
  return worse === 0 ? 0 : 1
})
