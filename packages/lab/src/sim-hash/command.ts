/**
 * Tests that one seed gives one history on every version of Node: runs some small histories on each
 * and compares their trace hashes.
 *
 *     pnpm lab sim-hash
 *     pnpm lab sim-hash --nodes 22,26
 *
 * npm fetches other versions than the running one once, into node_modules/.cache.
 */
import { command, type Values, wholes } from '../base/program.ts'
import { accountOf, fetchNode, findNode, type Account } from './nodes.ts'

const USAGE = `pnpm lab sim-hash [options]

  --nodes 22,24,26   versions of Node

Exit status 1 if a history is not the same on all of them.
`

const options = { nodes: { type: 'string', default: '22,24,26' } } as const

async function main(values: Values<typeof options>): Promise<number> {
  const majors = wholes('nodes', values.nodes, 22)
  const accounts: Account[] = []
  for (const major of majors) {
    const node =
      findNode(major) ?? (await fetchNode(major).catch((error: unknown) => console.log(`Node ${major} is skipped: ${reason(error)}`)))
    if (node !== undefined) accounts.push(await accountOf(node))
  }

  const [first] = accounts
  const names = Object.keys(first?.hashes ?? {})
  const different = names.filter((name) => new Set(accounts.map(({ hashes }) => hashes[name])).size > 1)
  const width = Math.max(...names.map((name) => name.length), 0)
  console.log(`${''.padEnd(width)}  ${accounts.map(({ version }) => version.padEnd(16)).join('  ')}`)
  for (const name of names) {
    const verdict = accounts.length < 2 ? '' : different.includes(name) ? 'DIFFERENT' : 'same'
    console.log(`${name.padEnd(width)}  ${accounts.map(({ hashes }) => (hashes[name] ?? '–').padEnd(16)).join('  ')}  ${verdict}`)
  }
  if (different.length > 0) console.log(`${different.length} of ${names.length} histories are not the same on every Node`)
  else if (accounts.length < 2) console.log('there is nothing to compare with')
  else console.log(`all ${names.length} histories are the same on Node ${accounts.map(({ version }) => version).join(', ')}`)
  return different.length > 0 || accounts.length < 2 ? 1 : 0
}

/** npm prints much; the first line with a reason is enough. */
function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n').find((line) => /npm error (?!code)|timed out|no /u.test(line)) ?? text.split('\n')[0] ?? text
}

export const experiment = command(USAGE, options, main)
