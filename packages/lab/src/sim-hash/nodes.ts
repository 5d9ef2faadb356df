/** Installs several versions of Node, from the npm package `node`. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inCheckout } from '../base/paths.ts'

const run = promisify(execFile)

/**
 * The folder is beside the dependencies, so that the next run needs no network. Each version takes
 * 120 MB.
 */
const folder = inCheckout('node_modules/.cache/sim-hash')

/** Longest wait for the installation, ms. */
const timeout = 180_000

/**
 * Returns the path of this major version. Returns undefined if this process runs on another
 * version, and no earlier run fetched this version.
 */
export function findNode(major: number): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const path = join(folder, String(major), 'node_modules', 'node', 'bin', 'node')
  return existsSync(path) ? path : undefined
}

/** Fetches a version with npm. Rejects with npm's reason if that fails. */
export async function fetchNode(major: number): Promise<string> {
  const prefix = join(folder, String(major))
  mkdirSync(prefix, { recursive: true })
  writeFileSync(join(prefix, 'package.json'), '{ "private": true }\n')
  // The package's own script installs the binary for this machine.
  const flags = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--no-package-lock', '--fetch-retries=1']
  await run('npm', ['install', ...flags, `node@${major}`], { cwd: prefix, timeout })
  const path = findNode(major)
  if (path === undefined) throw new Error(`npm installed node@${major}, but there is no ${prefix}/node_modules/node/bin/node`)
  return path
}

/** The trace hashes on one version of Node. */
export interface Account {
  /** The full version, as that Node reports it. */
  readonly version: string
  readonly hashes: Readonly<Record<string, string>>
}

/** Runs all histories on a version of Node, for at most two minutes. */
export async function accountOf(node: string): Promise<Account> {
  const flags = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'worker.ts')]
  const { stdout } = await run(node, flags, { timeout: 120_000 })
  return JSON.parse(stdout) as Account
}
