/**
 * Counts all bytes and packets on the loopback interface, IP and TCP headers and acknowledgements
 * included. Linux only.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const INSIDE = 'BENCH_POOL_OWN_NETWORK'

/**
 * True where the loopback interface belongs to this benchmark alone, so that its counters count
 * nothing else.
 */
export function ownNetwork(): boolean {
  return process.env[INSIDE] !== undefined
}

/**
 * Runs this program again in a network namespace of its own and returns its exit status. Returns
 * undefined where the system has no such namespaces, or where this already is that run. `unshare`
 * needs Linux with user namespaces.
 */
export async function rerunInOwnNetwork(): Promise<number | undefined> {
  if (ownNetwork() || spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) return undefined
  const command = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.argv.slice(1)]
  const inner = spawn('unshare', command, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  // The inner run has children to clean up; this one waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => inner.kill('SIGTERM'))
  const [status] = (await once(inner, 'exit')) as [number | null]
  return status ?? 1
}

/**
 * Bytes over the loopback interface so far, headers included; NaN where other programs share the
 * interface.
 */
export function loopbackBytes(): number {
  return loopbackCounter(0)
}

/** The same for packets, acknowledgements included. */
export function loopbackPackets(): number {
  return loopbackCounter(1)
}

function loopbackCounter(column: number): number {
  if (!ownNetwork()) return Number.NaN
  return deviceCounter(readFileSync('/proc/net/dev', 'utf8'), 'lo', column)
}

/** A counter of a device, from a table in the form of /proc/net/dev. */
export function deviceCounter(table: string, device: string, column: number): number {
  const line = table.split('\n').find((each) => each.trim().startsWith(`${device}:`))
  return Number(line?.split(':')[1]?.trim().split(/\s+/u)[column] ?? Number.NaN)
}
