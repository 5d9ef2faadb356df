/**
 * Tests that one seed gives one history on every version of Node. Runs some small histories on each
 * version and compares their trace hashes. npm fetches each other version once, into
 * node_modules/.cache.
 */
import { markdownTable } from '../base/markdown.ts'
import { wholes } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { accountOf, fetchNode, findNode, type Account } from './nodes.ts'

export const experiment = bench({
  about: 'the same histories on several versions of Node',
  settings: { nodes: wholes('22,24,26', 'versions of Node', 22) },
  notes: 'Exit status 1 if a history differs between versions, or if fewer than two versions ran.',
  async measure({ nodes: majors }) {
    const accounts: Account[] = []
    for (const major of majors) {
      const node =
        findNode(major) ?? (await fetchNode(major).catch((error: unknown) => console.log(`Node ${major} is skipped: ${reason(error)}`)))
      if (node !== undefined) accounts.push(await accountOf(node))
    }
    const names = Object.keys(accounts[0]?.hashes ?? {})
    return { accounts, names, different: names.filter((name) => new Set(accounts.map(({ hashes }) => hashes[name])).size > 1) }
  },
  table({ accounts, names, different }) {
    const verdict = (name: string): string => (accounts.length < 2 ? '' : different.includes(name) ? 'DIFFERENT' : 'same')
    const rows = names.map((name) => [name, ...accounts.map(({ hashes }) => hashes[name] ?? '–'), verdict(name)])
    const versions = accounts.map(({ version }) => version)
    const summary =
      different.length > 0
        ? `${different.length} of ${names.length} histories are not the same on every Node`
        : accounts.length < 2
          ? 'there is nothing to compare with'
          : `all ${names.length} histories are the same on Node ${versions.join(', ')}`
    return `${markdownTable(['', ...versions, ''], rows)}\n${summary}`
  },
  passed: ({ accounts, different }) => different.length === 0 && accounts.length > 1,
})

/** Returns the first line with a reason, because npm prints many lines. */
function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n').find((line) => /npm error (?!code)|timed out|no /u.test(line)) ?? text.split('\n')[0] ?? text
}
