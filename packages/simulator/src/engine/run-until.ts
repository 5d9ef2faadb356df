import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'

/** An expected event did not happen in the virtual time allowed. */
export class SimulationTimeoutError extends Error {
  readonly code = 'SIMULATION_TIMEOUT'
  override readonly name = 'SimulationTimeoutError'
}

/** The longest virtual time between two checks of a condition while no notification comes, ms. */
const lookAgain = 10

export interface Wait {
  readonly condition: () => boolean
  readonly timeout: Milliseconds
  /** The number of notifications so far. A wait checks its condition after each notification. */
  readonly notices: () => number
  /** The awaited event, for the error message. */
  readonly what: string
}

/** Runs until the condition holds and returns the time that it took. */
export function runUntil(clock: VirtualClock, { condition, timeout, notices, what }: Wait): Milliseconds {
  const start = clock.now
  const end = start + timeout
  let looked = -1
  let lookAt = start
  for (;;) {
    if (looked !== notices() || clock.now >= Math.min(lookAt, end)) {
      looked = notices()
      lookAt = clock.now + lookAgain
      if (condition()) return clock.now - start
      if (clock.now >= end) throw new SimulationTimeoutError(`${what} did not happen within ${timeout} ms`)
    }
    clock.step(Math.min(end, lookAt))
  }
}
