/**
 * Runs programs in network namespaces of their own. A namespace ends with its program. There a
 * program may listen on all interfaces, send multicast, and have its own name server.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'

/** Whether this system lets a test make namespaces. Some systems and some containers don't. */
export const hasNamespaces = spawnSync('unshare', ['-rnm', 'ip', 'link', 'set', 'lo', 'up']).status === 0

/**
 * Runs a program of `namespaced.ts` after `setup`, a line of shell. Returns the JSON that the
 * program prints.
 */
export async function inNamespace(setup: string, program: string): Promise<unknown> {
  const line = `ip link set lo up && ${setup} && exec "$0" "$1" "$2"`
  const child = spawn('unshare', ['-rnm', 'sh', '-ec', line, process.execPath, join(import.meta.dirname, 'namespaced.ts'), program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, problems, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${problems}`)
  return JSON.parse(out)
}
