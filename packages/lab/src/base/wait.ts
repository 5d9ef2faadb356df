/** Waits with a time limit, and repeated actions. */
import { setTimeout as sleep } from 'node:timers/promises'

/** An event did not happen in time. */
export class NeverError extends Error {}

/**
 * Waits for `promise`. `what` names it in the error.
 * @throws {NeverError} if the promise is pending after `ms`.
 */
export async function within<Value>(ms: number, what: string, promise: Promise<Value>): Promise<Value> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).then(() => {
    throw new NeverError(`${what}: nothing for ${(ms / 1000).toFixed(0)} s`)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
    late.catch(() => {})
  }
}

/**
 * Waits for a condition. Checks it every `every` ms. Returns false if it does not hold within
 * `within` ms.
 */
export async function until(condition: () => boolean | Promise<boolean>, within = Infinity, every = 20): Promise<boolean> {
  const end = performance.now() + within
  while (!(await condition())) {
    if (performance.now() > end) return false
    await sleep(every)
  }
  return true
}

/** Calls `act` until the signal: `ms` after the start, and `ms` after the end of each call. */
export async function repeat(ms: number, signal: AbortSignal, act: () => Promise<void> | void): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await act()
  }
}
