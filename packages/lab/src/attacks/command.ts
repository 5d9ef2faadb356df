/**
 * Attacks pools of real hosts on loopback, one attack a pool, and prints what was so before, during and after.
 *
 *     pnpm lab attacks --seconds 10 --only 'joins|epochs'
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { takeChildrenAlong } from '../base/child.ts'
import { replaceSection } from '../base/markdown.ts'
import { positive, command, UsageError, type Values, whole } from '../base/program.ts'
import { machine } from '../base/machine.ts'
import { fight, type Outcome } from './trial.ts'
import { attacks } from './attacks/index.ts'
import { table } from './table.ts'

const USAGE = `pnpm lab attacks [options]

  --nodes 8      honest nodes, in one process
  --seconds 10   how long each attack takes
  --only TEXT    attacks whose names match this regular expression
  --doc FILE     replace the table between <!-- attacks --> and <!-- /attacks --> in this file
  --json FILE    write all figures

Exit status 1 if an attack achieved what it must not.
`

const options = {
  nodes: { type: 'string', default: '8' },
  seconds: { type: 'string', default: '10' },
  only: { type: 'string', default: '' },
  doc: { type: 'string' },
  json: { type: 'string' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const scale = { nodes: whole('nodes', values.nodes, 4), before: 3_000, during: positive('seconds', values.seconds) * 1_000, after: 5_000 }
  const some = attacks.filter(({ name }) => new RegExp(values.only, 'u').test(name))
  if (some.length === 0)
    throw new UsageError(`--only: no attack is called ${values.only}; there are ${attacks.map(({ name }) => name).join(', ')}`)
  takeChildrenAlong()
  const started = machine()
  const outcomes: Outcome[] = []
  for (const attack of some) {
    console.error(attack.name)
    outcomes.push(await fight(attack, scale))
    if (process.stderr.isTTY || values.only !== '') console.error(table(outcomes.slice(-1)))
  }
  console.log(table(outcomes))
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine: started, outcomes }, undefined, 2)}\n`)
  if (values.doc !== undefined) {
    const where = `${values.nodes} nodes in one process, each attack ${values.seconds} s; Node ${String(started['node'])}, ${String(started['cores'])} cores.`
    writeFileSync(values.doc, replaceSection(readFileSync(values.doc, 'utf8'), 'attacks', `${where}\n\n${table(outcomes)}`))
  }
  return outcomes.some(({ breaches }) => breaches.length > 0) ? 1 : 0
}

export const experiment = command(USAGE, options, main)
