import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { hasChangedSince } from './age.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Makes a repository, and a function that commits a file to it and returns the commit. */
function repository(): { readonly root: string; readonly commit: (file: string) => string } {
  const root = mkdtempSync(join(tmpdir(), 'jel-age-'))
  folders.push(root)
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, '-c', 'user.name=n', '-c', 'user.email=e@example', ...args], { encoding: 'utf8' }).trim()
  git('init', '-q')
  let count = 0
  const commit = (file: string): string => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), String(count++))
    git('add', '-A')
    git('commit', '-q', '-m', file)
    return git('rev-parse', 'HEAD')
  }
  return { root, commit }
}

it('figures are old if their sources have changed, committed or not, and otherwise not', () => {
  const { root, commit } = repository()
  const measured = commit('packages/protocol/src/node.ts')
  const changed = (...parts: ('protocol' | 'compute')[]): boolean | undefined => hasChangedSince(measured, parts, root)
  commit('packages/protocol/src/node.test.ts')
  commit('docs/protocol.md')
  expect(changed('protocol')).toBe(false)
  commit('packages/compute/src/grid.ts')
  expect(changed('protocol')).toBe(false)
  expect(changed('protocol', 'compute')).toBe(true)
  expect(hasChangedSince(measured, [], root)).toBe(false)
  writeFileSync(join(root, 'packages/protocol/src/node.ts'), 'another')
  expect(changed('protocol')).toBe(true)
})

it('figures of a revision that is not in the history are old', () => {
  const { root, commit } = repository()
  commit('packages/protocol/src/node.ts')
  expect(hasChangedSince('0123abc', ['protocol'], root)).toBe(true)
})

it('without the history nothing is known about the age of figures', () => {
  const { root, commit } = repository()
  const measured = commit('packages/protocol/src/node.ts')
  commit('packages/protocol/src/node.ts')
  const shallow = mkdtempSync(join(tmpdir(), 'jel-age-'))
  folders.push(shallow)
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${root}`, shallow])
  expect(hasChangedSince(measured, ['protocol'], shallow)).toBeUndefined()
  expect(hasChangedSince(measured, ['protocol'], join(shallow, '..'))).toBeUndefined()
})
