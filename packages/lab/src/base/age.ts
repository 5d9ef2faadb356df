/** Whether what was measured has changed since. */
import { spawnSync } from 'node:child_process'
import { inCheckout } from './paths.ts'

/** What figures are of, besides what measures them. */
export type Part = 'protocol' | 'overlay' | 'compute'

/** True: a part has other sources than those that were measured, tests aside. Undefined: this checkout does not have the history that would tell. */
export function hasChangedSince(revision: string, parts: readonly Part[], root = inCheckout('.')): boolean | undefined {
  const git = (...args: string[]): { status: number | null; stdout: string } =>
    spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' })
  if (parts.length === 0) return false
  const shallow = git('rev-parse', '--is-shallow-repository')
  if (shallow.status !== 0 || shallow.stdout.trim() !== 'false') return undefined
  const sources = parts.flatMap((part) => [`packages/${part}/src`, `:(exclude,glob)packages/${part}/src/**/*.test.ts`])
  if (git('status', '--porcelain', '--', ...sources).stdout !== '') return true
  const last = git('log', '-1', '--format=%H', '--', ...sources).stdout.trim()
  // A + says that there were changes which no commit had yet: what was measured is not known.
  return last !== '' && git('merge-base', '--is-ancestor', last, revision).status !== 0
}
