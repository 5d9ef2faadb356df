import type { Log } from './log.ts'

/** How often to look, in milliseconds. */
const INTERVAL = 1_000
/** How late a timer has to be, in milliseconds. A guess: a probe waits for about that. */
const LATE = 500

/** Logs that the event loop stood still, as the process was stopped or something took its time: others may take this node for dead. */
export function watchLoop(log: Log): Disposable {
  let due = performance.now() + INTERVAL
  const timer = setInterval(() => {
    const late = Math.round(performance.now() - due)
    due = performance.now() + INTERVAL
    if (late > LATE) log.warn('SLOW_LOOP', `this process stood still for ${late} ms`, { late })
  }, INTERVAL).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
