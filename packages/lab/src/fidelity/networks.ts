/** The networks that the simulator models, as they were measured. */
import { loopback, type Delay } from '@jel/simulator'

/** Whole milliseconds, equally likely. */
export function wholeDelay(least: number, most: number): Delay {
  return (_from, _to, random) => least + Math.floor(random() * (most - least + 1))
}

export const loopbackDelay: Delay = loopback

/**
 * Time from SIGKILL until the kernel has taken a process of 110 MB apart and closes its sockets,
 * ms. Measured: 8 to 15.
 */
export const dying = 12
