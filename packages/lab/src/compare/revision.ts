/** Another revision of this repository, built in a folder of its own. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inCheckout } from '../base/paths.ts'
import { UsageError } from '../base/settings.ts'
import { run } from '../network/tools.ts'

const here = inCheckout('.')

/** The commit of a revision. Throws UsageError where there is none of that name. */
export function commitOf(revision: string): string {
  const verified = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const { status, stdout } = spawnSync('git', ['-C', here, ...verified], { encoding: 'utf8' })
  if (status !== 0) throw new UsageError(`there is no revision ${revision} in this repository`)
  return stdout.trim()
}

/**
 * Checks the commit out into a new folder, installs its dependencies and bundles its command line.
 * Uses the network only for packages that were not fetched before.
 */
export function build(commit: string, folder: string): void {
  // A clone that shares this one's objects, rather than a worktree: it is gone when its folder is.
  run('git', ['clone', '--quiet', '--shared', '--no-checkout', here, folder])
  run('git', ['-C', folder, 'checkout', '--quiet', '--detach', commit])
  console.error(`installing ${commit.slice(0, 7)}`)
  if (install(folder, '--offline') !== undefined) {
    console.error('not all of it was fetched before; installing from the registry')
    const problem = install(folder)
    if (problem !== undefined) throw new UsageError(`what ${commit.slice(0, 7)} depends on can't be installed:\n${problem}`)
  }
  run(process.execPath, [join(folder, 'scripts/bundle-node.ts')])
}

/**
 * Copies this laboratory into that checkout, where its programs import that revision's packages.
 */
export function bringLaboratory(folder: string): void {
  const sources = join(folder, 'packages/lab/src')
  if (!existsSync(sources) || !existsSync(join(folder, 'packages/compute'))) throw new UsageError('that revision does not compute')
  rmSync(sources, { recursive: true })
  cpSync(inCheckout('packages/lab/src'), sources, { recursive: true })
}

/** Returns undefined on success, otherwise the output of pnpm. */
function install(folder: string, ...flags: readonly string[]): string | undefined {
  const args = [...flags, '-y', 'pnpm@12', 'install', '--frozen-lockfile', '--ignore-scripts', ...flags]
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? undefined : `${stdout}${stderr}`.trim()
}
