import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import config from '../vitest.config.ts'
import { root } from './workspace.ts'

/** The parts of the configuration that select the files of a group. */
interface Group {
  readonly test: { readonly name: string; readonly include: readonly string[]; readonly exclude: readonly string[] }
}

const groups = (config.test?.projects ?? []) as unknown as readonly Group[]

function groupsOf(file: string): string[] {
  return groups
    .filter(({ test: { include, exclude } }) => {
      const matches = (pattern: string): boolean => matchesGlob(file, pattern)
      return include.some(matches) && !exclude.some(matches)
    })
    .map(({ test }) => test.name)
}

it('each test file belongs to one group', () => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
  const lost = files.map((file) => `${file}: ${groupsOf(file).join(', ')}`).filter((line) => !/: [a-z]+$/u.test(line))
  expect(files.length).toBeGreaterThan(400)
  expect(lost).toEqual([])
})

it('a test file of a package that no group names belongs to a group', () => {
  expect(groupsOf('packages/ledger/src/a/b.test.ts')).toEqual(['pure'])
  expect(groupsOf('packages/ledger/test/b.test.ts')).toEqual(['real'])
  expect(groupsOf('packages/new/src/b.test.ts')).toEqual(['pure'])
  expect(groupsOf('packages/new/test/b.test.ts')).toEqual(['real'])
  expect(groupsOf('packages/new/test/b.slow.test.ts')).toEqual(['slow'])
})
