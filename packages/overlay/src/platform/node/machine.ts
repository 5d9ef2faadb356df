/** Facts about this machine. */
import { hostname, uptime } from 'node:os'

/** The name of this machine: the default location of a node. */
export function machineName(): string {
  return hostname()
}

/** Time since the machine started, sleep included, ms. Undefined: the platform does not tell. */
export function sinceBoot(): number | undefined {
  return uptime() * 1_000
}
