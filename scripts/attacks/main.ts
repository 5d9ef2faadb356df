/**
 * Attacks pools of real hosts on loopback, one attack a pool, and prints what was so before, during and after.
 *
 *     pnpm bench:attacks --seconds 10 --only 'joins|epochs'
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { takeChildrenAlong } from '../driver/child.ts'
import { machine } from '../bench-pool/report.ts'
import { fight, type Outcome } from './arena.ts'
import { attacks } from './attacks/index.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    doc: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(`pnpm bench:attacks [options]

  --nodes 8      honest nodes, in one process
  --seconds 10   how long each attack takes
  --only TEXT    attacks whose names match this regular expression
  --doc FILE     replace the table between <!-- attacks --> and <!-- /attacks --> in this file
  --json FILE    write all figures`)
} else {
  takeChildrenAlong()
  const during = Number(values.seconds) * 1_000
  const scale = { nodes: Number(values.nodes), before: 3_000, during, after: 5_000 }
  const started = machine()
  const outcomes: Outcome[] = []
  for (const attack of attacks.filter(({ name }) => new RegExp(values.only, 'u').test(name))) {
    console.error(attack.name)
    outcomes.push(await fight(attack, scale))
    if (process.stderr.isTTY || values.only !== '') console.error(table(outcomes.slice(-1)))
  }
  console.log(table(outcomes))
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ machine: started, outcomes }, undefined, 2)}\n`)
  if (values.doc !== undefined) {
    const [before, rest] = readFileSync(values.doc, 'utf8').split('<!-- attacks -->')
    const where = `${values.nodes} nodes in one process, each attack ${values.seconds} s; Node ${String(started['node'])}, ${String(started['cores'])} cores.`
    const after = rest?.split('<!-- /attacks -->')[1] ?? ''
    writeFileSync(values.doc, `${before}<!-- attacks -->\n${where}\n\n${table(outcomes)}\n<!-- /attacks -->${after}`)
  }
}
