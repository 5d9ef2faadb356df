/** The networks that the simulator pretends, as they were measured. */
import { loopback, type Costs, type Delay } from '@jel/simulator'

/** Whole milliseconds, equally likely. */
export function wholeDelay(least: number, most: number): Delay {
  return (_from, _to, random) => least + Math.floor(random() * (most - least + 1))
}

export const loopbackDelay: Delay = loopback

/** Measured: what one event loop of a process with 25 hosts spends. */
export const eventLoopCosts: Costs = {
  frame: 0.25,
  frameKilobyte: 0.5,
  broadcast: 1,
  duplicate: 0.3,
  control: 0.2,
  dial: 6,
  accept: 5,
}
