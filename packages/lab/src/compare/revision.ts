/** Another revision of this repository, built in a folder of its own. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inCheckout } from '../base/paths.ts'
import { UsageError } from '../base/program.ts'
import { run } from '../network/tools.ts'

const here = inCheckout('.')

/** Its commit. Throws UsageError where there is none of that name. */
export function commitOf(revision: string): string {
  const { status, stdout } = spawnSync(
    'git',
    ['-C', here, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new UsageError(`there is no revision ${revision} in this repository`)
  return stdout.trim()
}

export interface Checkout {
  readonly folder: string
  readonly remove: () => void
}

/** Checks it out, installs what it depends on, without the network where that was fetched before, and bundles its command line. */
export function build(commit: string, say: (text: string) => void): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'jel-compare-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    // A clone with the objects of this one, and not a worktree: it is gone when its folder is.
    run('git', ['clone', '--quiet', '--shared', '--no-checkout', here, folder])
    run('git', ['-C', folder, 'checkout', '--quiet', '--detach', commit])
    say(`installing ${commit.slice(0, 7)}`)
    if (install(folder, '--offline') !== undefined) {
      say('not all of it was fetched before; installing from the registry')
      const problem = install(folder)
      if (problem !== undefined) throw new UsageError(`what ${commit.slice(0, 7)} depends on can't be installed:\n${problem}`)
    }
    run(process.execPath, [join(folder, 'scripts/bundle-node.ts')])
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** Puts this laboratory into that checkout, where its programs import that revision's packages. */
export function bringLaboratory(folder: string): void {
  const sources = join(folder, 'packages/lab/src')
  if (!existsSync(sources) || !existsSync(join(folder, 'packages/compute'))) throw new UsageError('that revision does not compute')
  rmSync(sources, { recursive: true })
  cpSync(inCheckout('packages/lab/src'), sources, { recursive: true })
}

/** Undefined: it did. Otherwise what pnpm said. */
function install(folder: string, ...flags: readonly string[]): string | undefined {
  const args = [...flags, '-y', 'pnpm@12', 'install', '--frozen-lockfile', '--ignore-scripts', ...flags]
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? undefined : `${stdout}${stderr}`.trim()
}
