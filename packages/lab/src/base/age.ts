/** Detects whether the measured sources have changed since a measurement. */
import { spawnSync } from 'node:child_process'
import { inCheckout } from './paths.ts'

/** The measured parts of the project. The measuring program is not one of them. */
export type Part = 'protocol' | 'overlay' | 'compute'

/**
 * Returns true if the sources of a part differ from the measured sources. Tests do not count.
 * Returns undefined if this checkout lacks the necessary history.
 */
export function hasChangedSince(revision: string, parts: readonly Part[], root = inCheckout('.')): boolean | undefined {
  const git = (...args: string[]): { status: number | null; stdout: string } =>
    spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' })
  if (parts.length === 0) return false
  const shallow = git('rev-parse', '--is-shallow-repository')
  if (shallow.status !== 0 || shallow.stdout.trim() !== 'false') return undefined
  const sources = parts.flatMap((part) => [`packages/${part}/src`, `:(exclude,glob)packages/${part}/src/**/*.test.ts`])
  if (git('status', '--porcelain', '--', ...sources).stdout !== '') return true
  const last = git('log', '-1', '--format=%H', '--', ...sources).stdout.trim()
  // A revision with a + had uncommitted changes, so its measured sources are unknown.
  return last !== '' && git('merge-base', '--is-ancestor', last, revision).status !== 0
}
