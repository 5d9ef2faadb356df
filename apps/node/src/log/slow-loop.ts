import type { Log } from './log.ts'

/** The interval of checks, in milliseconds. */
const INTERVAL = 1_000
/** The least delay of a timer that is logged, ms. A guess: about as long as a probe waits. */
const LATE = 500

/**
 * Logs pauses of the event loop: the process was stopped, or some code took long. Other members may
 * take this node for dead.
 */
export function watchLoop(log: Log): Disposable {
  let due = performance.now() + INTERVAL
  const timer = setInterval(() => {
    const late = Math.round(performance.now() - due)
    due = performance.now() + INTERVAL
    if (late > LATE) log.warn('SLOW_LOOP', `this process stood still for ${late} ms`, { late })
  }, INTERVAL).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
