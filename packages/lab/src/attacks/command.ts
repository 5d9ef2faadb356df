/**
 * Attacks pools of real hosts on loopback, one attack a pool, and prints the figures before, during
 * and after it.
 *
 *     pnpm lab attacks --seconds 10 --only 'joins|epochs'
 */
import { takeChildrenAlong } from '../base/child.ts'
import { positive, command, UsageError, type Values, whole } from '../base/program.ts'
import { keepFigures, originOf } from '../base/figures.ts'
import { fight, type Outcome } from './trial.ts'
import { attacks } from './attacks/index.ts'
import { shown, table } from './table.ts'

const USAGE = `pnpm lab attacks [options]

  --nodes 8      honest nodes, in one process
  --seconds 10   how long each attack takes
  --only TEXT    attacks whose names match this regular expression
  --keep         write all figures to docs/figures/attacks.json, and docs/attacks.md from there

Exit status 1 if an attack achieved what it must not.
`

const options = {
  nodes: { type: 'string', default: '8' },
  seconds: { type: 'string', default: '10' },
  only: { type: 'string', default: '' },
  keep: { type: 'boolean', default: false },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const scale = { nodes: whole('nodes', values.nodes, 4), before: 3_000, during: positive('seconds', values.seconds) * 1_000, after: 5_000 }
  const some = attacks.filter(({ name }) => new RegExp(values.only, 'u').test(name))
  if (some.length === 0)
    throw new UsageError(`--only: no attack is called ${values.only}; there are ${attacks.map(({ name }) => name).join(', ')}`)
  takeChildrenAlong()
  const origin = originOf()
  const outcomes: Outcome[] = []
  for (const attack of some) {
    console.error(attack.name)
    outcomes.push(await fight(attack, scale))
    if (process.stderr.isTTY || values.only !== '') console.error(table(outcomes.slice(-1)))
  }
  console.log(table(outcomes))
  if (values.keep) await keepFigures(shown, origin, { nodes: scale.nodes, seconds: scale.during / 1_000, outcomes })
  return outcomes.some(({ breaches }) => breaches.length > 0) ? 1 : 0
}

export const experiment = command(USAGE, options, main)
