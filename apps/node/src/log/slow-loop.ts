import type { Log } from './log.ts'

/** The interval of checks, in milliseconds. */
const INTERVAL = 1_000
/** The delay of a timer that is logged, in milliseconds. A guess: a probe waits for about that. */
const LATE = 500

/**
 * Logs pauses of the event loop: the process was stopped, or some code took long. Others may take
 * this node for dead.
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
