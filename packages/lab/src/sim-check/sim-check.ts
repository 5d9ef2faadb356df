/**
 * Runs a fixed set of scenarios and seeds in the simulator, and compares the results with the
 * figures in packages/simulator/baseline.json.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { sweep } from '@jel/simulator'
import { inCheckout } from '../base/paths.ts'
import { flag } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { figuresOf, guardTasks, replayOf, type Figures } from './cases.ts'
import { compare, table, tolerance } from './compare.ts'

const file = inCheckout('packages/simulator/baseline.json')

export const experiment = bench({
  about: 'a fixed set of simulated runs beside the committed figures',
  settings: { update: flag('replace packages/simulator/baseline.json by the new figures') },
  notes: `Exit status 1 if a figure is more than ${tolerance * 100} % worse, a promise was broken, or an expected event did not happen.`,
  async measure({ update }) {
    const start = performance.now()
    const results = (await sweep(guardTasks())).map(({ result }) => result)
    const took = `${results.length} runs in ${((performance.now() - start) / 1_000).toFixed(0)} s`
    const broken = results.flatMap(({ scenario, seed, violation }) =>
      violation === undefined
        ? []
        : [`${scenario}: a promise was broken at ${violation.time / 1_000}s: ${violation.what}\n  ${replayOf(scenario, seed)}`],
    )
    const figures = figuresOf(results)
    const never = Object.entries(figures).flatMap(([scenario, each]) =>
      Object.keys(each).flatMap((figure) => (each[figure] === Infinity ? [`${scenario}: ${figure}`] : [])),
    )
    if (never.length > 0) broken.push(`never happened: ${never.join('; ')}`)
    if (broken.length > 0) return { text: broken.join('\n'), isGood: false }
    if (update) {
      writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`)
      return { text: `${took}; ${file} has the new figures`, isGood: true }
    }
    const differences = compare(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Figures>, figures)
    const worse = differences.filter(({ verdict }) => verdict === 'worse' || verdict === 'gone').length
    const what = worse === 0 ? 'nothing is more than' : `${worse} ${worse === 1 ? 'figure is' : 'figures are'} more than`
    const lines = [
      ...(differences.length > 0 ? [`${table(differences)}\n`] : []),
      `${took}: ${what} ${tolerance * 100} % worse than in packages/simulator/baseline.json`,
      ...(worse > 0 ? ['If the cost is worth it: pnpm sim:check --update, and give the gain in the commit message.'] : []),
    ]
    return { text: lines.join('\n'), isGood: worse === 0 }
  },
  table: ({ text }) => text,
  passed: ({ isGood }) => isGood,
})
