/** Another revision of this repository, built in a separate folder. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { inCheckout } from '../base/paths.ts'
import { UsageError } from '../base/settings.ts'
import { run } from '../network/tools.ts'

const here = inCheckout('.')

/** Returns the commit of a revision. Throws UsageError if there is no such revision. */
export function commitOf(revision: string): string {
  const verified = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const { status, stdout } = spawnSync('git', ['-C', here, ...verified], { encoding: 'utf8' })
  if (status !== 0) throw new UsageError(`there is no revision ${revision} in this repository`)
  return stdout.trim()
}

/**
 * Checks the commit out into a new folder, installs its dependencies and bundles its command line.
 * Uses the network only for packages that are not in the local cache.
 */
export function build(commit: string, folder: string): void {
  // This is a clone that shares the objects of this repository. A worktree would leave an entry in
  // the repository after the removal of its folder.
  run('git', ['clone', '--quiet', '--shared', '--no-checkout', here, folder])
  run('git', ['-C', folder, 'checkout', '--quiet', '--detach', commit])
  console.error(`installing the dependencies of ${commit.slice(0, 7)}`)
  if (install(folder, '--offline') !== undefined) {
    console.error('some packages were not fetched before; installing from the registry')
    const problem = install(folder)
    if (problem !== undefined) throw new UsageError(`the dependencies of ${commit.slice(0, 7)} can't be installed:\n${problem}`)
  }
  bundle(folder)
}

/**
 * Copies this laboratory into the checkout of another revision. There its programs import the
 * packages of that revision.
 */
export function bringLaboratory(folder: string): void {
  const sources = join(folder, 'packages/lab/src')
  if (!existsSync(sources) || !existsSync(join(folder, 'packages/compute'))) throw new UsageError('that revision has no packages/compute')
  rmSync(sources, { recursive: true })
  cpSync(inCheckout('packages/lab/src'), sources, { recursive: true })
  // The laboratory may use packages of this repository that its earlier revision did not use.
  for (const name of readdirSync(inCheckout('packages/lab/node_modules/@jel'))) {
    const link = join(folder, 'packages/lab/node_modules/@jel', name)
    const target = join(folder, 'packages', name)
    if (!existsSync(link) && existsSync(target)) symlinkSync(target, link)
  }
}

/** Bundles the command line of a checkout. Without a bundle each start takes four times as long. */
export function bundle(folder: string): void {
  run(process.execPath, [join(folder, 'scripts/bundle-node.ts')])
}

/** Returns undefined on success, otherwise the output of pnpm. */
function install(folder: string, ...flags: readonly string[]): string | undefined {
  const args = [...flags, '-y', 'pnpm@12', 'install', '--frozen-lockfile', '--ignore-scripts', ...flags]
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? undefined : `${stdout}${stderr}`.trim()
}
