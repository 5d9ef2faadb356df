/** The networks that the simulator pretends, as they were measured. */
import { loopback, type Costs, type Delay } from '@jel/simulator'

/** Whole milliseconds, equally likely. */
export function wholeDelay(least: number, most: number): Delay {
  return (_from, _to, random) => least + Math.floor(random() * (most - least + 1))
}

export const loopbackDelay: Delay = loopback

/**
 * What an event loop that many hosts share spends. Measured: a dial costs 11 ms, both ends together; a delivery of gossipsub about 1 ms, a
 * duplicate a third of it; twelve links lost at once, each with a knock that is refused, 26 to 39 ms. The rest is a guess from idle pools (1.9 ms a
 * second and host, at 1.2 frames sent and as many received).
 */
export const eventLoopCosts: Costs = {
  frame: 0.7,
  frameKilobyte: 0.5,
  broadcast: 1,
  duplicate: 0.3,
  control: 0.3,
  dial: 6,
  accept: 5,
  lost: 1.7,
  refused: 1,
}

/** From SIGKILL until the kernel has taken a process of 110 MB apart and closes its sockets, ms. Measured: 8 to 15. */
export const dying = 12
