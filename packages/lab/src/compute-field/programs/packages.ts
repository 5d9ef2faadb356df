/**
 * npm packages that the experiment measures beside `jel`. They are not dependencies of the
 * workspace: they are 23 packages, one with an install script, and only this experiment needs them.
 * The first use installs them, without scripts, into a folder that git ignores.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inCheckout } from '../../base/paths.ts'

const FOLDER = inCheckout('node_modules/.cache/jel-lab')
const WANTED = { piscina: '5.3.2', bullmq: '6.7.0', ioredis: '5.11.1' } as const
type Package = keyof typeof WANTED

/** Longest time that the installation may take, ms. A guess. */
const TIMEOUT = 120_000

/**
 * Returns the reason why the experiment can't use a package; undefined if it can. `install`:
 * installs missing packages.
 */
export function missing(name: Package, install: boolean): string | undefined {
  if (isHere(name)) return undefined
  const what = `${name} ${WANTED[name]}`
  if (!install) return `${what} is not installed here`
  mkdirSync(FOLDER, { recursive: true })
  const versions = Object.entries(WANTED).map(([each, version]) => `${each}@${version}`)
  console.error(`installing ${versions.join(', ')}`)
  const args = ['install', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund', ...versions]
  const { error, stderr } = spawnSync('npm', args, { encoding: 'utf8', timeout: TIMEOUT })
  return isHere(name)
    ? undefined
    : `${what} could not be installed: ${error?.message ?? stderr.trim().split('\n')[0] ?? 'npm install failed'}`
}

/** Loads the module of an installed package. */
export function load(name: Package): unknown {
  return createRequire(join(FOLDER, 'package.json'))(name)
}

function isHere(name: Package): boolean {
  const file = join(FOLDER, 'node_modules', name, 'package.json')
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version === WANTED[name]
}

export function versionOf(name: Package): string {
  return WANTED[name]
}
