import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageFolders, root } from './workspace.ts'

/** Programs for the user to read, and private packages, whose problems no user meets. */
const others = ['apps/examples', 'packages/lab']
const sources = packageFolders()
  .filter((folder) => !others.includes(folder))
  .map((folder) => `${folder}/src`)

/**
 * Matches two words or more in capitals, or one word if it is the value or in the type of a `code`.
 * Excludes errors of the system or of Node, environment variables, and log entries that are not
 * problems.
 */
const CODE =
  /(?<!env\[|log\.(?:debug|info)\()'(?!ERR_|EAI_|XDG_|JEL_)(?<code>[A-Z]{2,}(?:_[A-Z\d]+)+)'|\bcode(?: =|:) (?<words>'[A-Z_]+'(?: \| '[A-Z_]+')*)/gu
/** Codes of the system, which the sources compare or repeat. */
const SYSTEM = ['EMFILE']

function textsIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'))
}

/** Returns the codes of errors, warnings and failures of tasks in the sources of a folder. */
function codesOf(folder: string): string[] {
  return textsIn(folder)
    .flatMap((text) => [...text.matchAll(CODE)])
    .flatMap(({ groups }) => groups?.['code'] ?? [...(groups?.['words'] ?? '').matchAll(/[A-Z_]+/gu)].map(String))
    .filter((code) => !SYSTEM.includes(code))
}

const codes = [...new Set(sources.flatMap(codesOf))].toSorted()
const entries = [...readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8').matchAll(/^\| `(?<code>[A-Z_\d]+)` \|/gmu)].map(
  ({ groups }) => groups?.['code'] as string,
)

it('the codes of the sources are found', () => {
  expect(codes).toEqual(
    expect.arrayContaining(['INVALID_POOL_KEY', 'TOO_FEW_MEMBERS', 'JOB_CANCELLED', 'INTRODUCER_UNREACHABLE', 'TIMEOUT', 'SWEEP']),
  )
})

it('each code has an entry in docs/troubleshooting.md', () => {
  expect(codes.filter((code) => !entries.includes(code))).toEqual([])
})

it('each entry of docs/troubleshooting.md is of a code that the sources have', () => {
  const texts = [...sources.flatMap(textsIn), readFileSync(join(root, 'apps/python/jel.py'), 'utf8')]
  expect(entries.filter((code) => !texts.some((text) => new RegExp(String.raw`['"\x60]${code}\b`, 'u').test(text)))).toEqual([])
})

it('docs/troubleshooting.md has one entry for each code', () => {
  expect(entries.filter((code, index) => entries.indexOf(code) !== index)).toEqual([])
})
