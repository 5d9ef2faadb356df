/**
 * Counts all bytes and packets on the loopback interface. These include IP and TCP headers and
 * acknowledgements. Linux only.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const INSIDE = 'BENCH_POOL_OWN_NETWORK'

/**
 * True if the loopback interface belongs to this experiment alone, so that its counters count no
 * foreign traffic.
 */
export function ownNetwork(): boolean {
  return process.env[INSIDE] !== undefined
}

/**
 * Runs this program again in a separate network namespace, and returns the exit status of that run.
 * Returns undefined if this already is that run, or if the system has no such namespaces. `unshare`
 * needs Linux with user namespaces.
 */
export async function rerunInOwnNetwork(): Promise<number | undefined> {
  if (ownNetwork() || spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) return undefined
  const command = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.argv.slice(1)]
  const inner = spawn('unshare', command, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  // The inner run must end its children, so this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => inner.kill('SIGTERM'))
  const [status] = (await once(inner, 'exit')) as [number | null]
  return status ?? 1
}

/**
 * Bytes over the loopback interface so far, headers included; NaN if other programs share the
 * interface.
 */
export function loopbackBytes(): number {
  return loopbackCounter(0)
}

/**
 * Packets over the loopback interface so far, acknowledgements included; NaN if other programs
 * share the interface.
 */
export function loopbackPackets(): number {
  return loopbackCounter(1)
}

function loopbackCounter(column: number): number {
  if (!ownNetwork()) return Number.NaN
  return deviceCounter(readFileSync('/proc/net/dev', 'utf8'), 'lo', column)
}

/**
 * Returns a counter of a device from a table in the format of /proc/net/dev; NaN if it is missing.
 */
export function deviceCounter(table: string, device: string, column: number): number {
  const line = table.split('\n').find((each) => each.trim().startsWith(`${device}:`))
  return Number(line?.split(':')[1]?.trim().split(/\s+/u)[column] ?? Number.NaN)
}
