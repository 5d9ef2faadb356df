/** Counts everything that crosses the loopback interface, IP and TCP headers and acknowledgements included. Linux only. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const INSIDE = 'BENCH_POOL_OWN_NETWORK'

/** True where the loopback interface belongs to this benchmark alone, so that its counters count nothing else. */
export function ownNetwork(): boolean {
  return process.env[INSIDE] !== undefined
}

/**
 * Runs this program once more in a network namespace of its own and returns its exit status; undefined where the system has no
 * such thing, or where this already is that run. `unshare` needs Linux with user namespaces.
 */
export function rerunInOwnNetwork(): number | undefined {
  const probe = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up'])
  if (ownNetwork() || probe.status !== 0) return undefined
  const command = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.argv.slice(1)]
  // Ctrl-C reaches the whole group: this process waits for the inner one to clean up.
  process.on('SIGINT', () => {})
  return spawnSync('unshare', command, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } }).status ?? 1
}

/** Bytes over the loopback interface so far, headers included; NaN where they can't be told from those of other programs. */
export function loopbackBytes(): number {
  if (!ownNetwork()) return Number.NaN
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((each) => each.trim().startsWith('lo:'))
  return Number(line?.trim().split(/\s+/)[1])
}
