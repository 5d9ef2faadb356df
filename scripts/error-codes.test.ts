import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './workspace.ts'

const sources = [
  'packages/jel/src',
  'packages/overlay/src',
  'packages/compute/src',
  'packages/monitor/src',
  'packages/allocate/src',
  'packages/service/src',
  'packages/ledger/src',
  'packages/protocol/src',
  'apps/node/src',
]

/**
 * Matches two words or more in capitals, or one word if it is assigned to `code`. Excludes errors
 * of the system or of Node, environment variables, and log entries that are not problems.
 */
const CODE = /(?<!env\[|log\.(?:debug|info)\()'(?!ERR_|EAI_|XDG_|JEL_)(?<code>[A-Z]{2,}(?:_[A-Z\d]+)+)'|\bcode = '(?<single>[A-Z]+)'/gu

/** Returns the codes of errors, warnings and failures of tasks in the sources of a folder. */
function codesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(root, folder, file), 'utf8').matchAll(CODE)])
    .map(({ groups }) => (groups?.['code'] ?? groups?.['single']) as string)
}

const codes = [...new Set(sources.flatMap(codesOf))].toSorted()
const entries = [...readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8').matchAll(/^\| `(?<code>[A-Z_\d]+)` \|/gmu)].map(
  ({ groups }) => groups?.['code'] as string,
)

it('the codes of the sources are found', () => {
  expect(codes).toEqual(expect.arrayContaining(['INVALID_POOL_KEY', 'TOO_FEW_MEMBERS', 'JOB_CANCELLED', 'INTRODUCER_UNREACHABLE']))
})

it('each code has an entry in docs/troubleshooting.md', () => {
  expect(codes.filter((code) => !entries.includes(code))).toEqual([])
})

it('docs/troubleshooting.md has one entry for each code', () => {
  expect(entries.filter((code, index) => entries.indexOf(code) !== index)).toEqual([])
})
