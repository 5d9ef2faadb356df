/**
 * One variant of the protocol, in a process of its own. The arguments are the number of a set of
 * three seeds, a file of the protocol, a text in that file, and the text that replaces it. Without
 * a file it replaces nothing. Prints a {@link Trial} as JSON.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { numbersToText } from '../base/figures.ts'
import { inCheckout } from '../base/paths.ts'
import type { Figures } from '../sim-check/cases.ts'

/** The simulated runs of one variant. */
export interface Trial {
  /** The digest of each run. Equal histories have equal digests. */
  readonly hashes: readonly string[]
  readonly figures: Readonly<Record<string, Figures>>
  /** Broken promises, false deaths among them. */
  readonly broken: number
}

const [set = '0', file, from, to] = process.argv.slice(2)
if (file !== undefined && from !== undefined && to !== undefined) {
  const planted = pathToFileURL(inCheckout(`packages/protocol/src/${file}`)).href
  let isPlanted = false
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (url !== planted) return loaded
      const { source } = loaded
      const parts = (typeof source === 'string' ? source : new TextDecoder().decode(source)).split(from)
      if (parts.length !== 2) throw new Error(`${file} has "${from}" ${parts.length - 1} times`)
      isPlanted = true
      return { ...loaded, source: parts.join(to) }
    },
  })
  process.once('exit', () => {
    if (!isPlanted) throw new Error(`nothing loads ${file}`)
  })
}

const { runScenario } = await import('@jel/simulator')
const { figuresOf, guardTasks } = await import('../sim-check/cases.ts')

/** The cheapest case of each kind of trouble: a flash, elections, a partition, losses and cuts. */
const names = new Set(['figure-5', 'mass-election', 'partition-heal', 'rack-failure', 'three-sites-unequal', 'three-sites-reject'])
const tasks = guardTasks()
  .filter(({ scenario, seed }) => names.has(scenario.name) && seed <= 3)
  .map((task) => ({ ...task, seed: task.seed + 3 * Number(set) }))
const results = tasks.map(({ scenario, seed }) => runScenario({ scenario, seed }).result)
const trial: Trial = {
  hashes: results.map(({ traceHash }) => traceHash),
  figures: figuresOf(results),
  broken: results.filter(({ violation }) => violation !== undefined).length,
}
process.stdout.write(JSON.stringify(trial, numbersToText))
