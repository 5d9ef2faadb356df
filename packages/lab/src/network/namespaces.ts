/**
 * Separate namespaces for network, mounts and processes. When the first process in them ends for
 * any reason, the kernel removes them with all processes and interfaces in them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { Socket } from 'node:net'
import { run, UnableError } from './tools.ts'

const INSIDE = 'JEL_LAB_NAMESPACES'

/**
 * Folder for the files of a run: named namespaces and small disks. It is in memory, and other
 * processes can't see it.
 */
const RUN = '/run'

/** The arguments of `unshare`. Only root can do without a user namespace. */
function unshare(): string[] {
  const mine = process.getuid?.() === 0 ? [] : ['--map-root-user']
  return [...mine, '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
}

/** Returns the reason why this process can't create namespaces; undefined if it can. */
export function noNamespaces(): string | undefined {
  if (inside()) return undefined
  const { status, stderr, error } = spawnSync('unshare', [...unshare(), 'mount', '-t', 'tmpfs', 'tmpfs', RUN], { encoding: 'utf8' })
  if (status === 0) return undefined
  return `no network namespaces here, which take Linux and root or user namespaces (${error?.message ?? stderr.trim()})`
}

function inside(): boolean {
  return process.env[INSIDE] !== undefined
}

/** The id of the process that the user started. It identifies this run. */
export function runId(): string {
  return process.env[INSIDE] ?? String(process.pid)
}

/**
 * Runs this program again in separate namespaces, and returns the exit status of that run. Returns
 * undefined if this already is that run.
 * @throws {UnableError} if this process can't create namespaces.
 */
export async function rerunInOwnNamespaces(): Promise<number | undefined> {
  if (inside()) {
    settle()
    return undefined
  }
  const problem = noNamespaces()
  if (problem !== undefined) throw new UnableError(problem)
  const inner = spawn('unshare', [...unshare(), process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    // The pipe closes when this process ends for any reason.
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, [INSIDE]: String(process.pid) },
  })
  // Ctrl-C also reaches the inner run. A signal to this process alone closes the pipe, which ends
  // the inner run.
  process.on('SIGINT', () => inner.stdio[3]?.destroy())
  process.on('SIGTERM', () => inner.stdio[3]?.destroy())
  const [status] = (await once(inner, 'exit')) as [number | null]
  return status ?? 1
}

function settle(): void {
  run('mount', ['-t', 'tmpfs', 'tmpfs', RUN])
  mkdirSync(`${RUN}/netns`)
  run('ip', ['link', 'set', 'lo', 'up'])
  const parent = new Socket({ fd: 3 }).unref()
  const end = (): void => {
    process.kill(process.pid, 'SIGTERM')
  }
  parent.on('close', end).on('error', end).resume()
}
