/** Waits with an end, and loops that wait. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Something never happened in its time. */
export class NeverError extends Error {}

/**
 * Waits for `promise`.
 * @throws {NeverError} if it has not come after `ms`.
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

/** Returns false where the condition does not hold in time, ms. Looks every `every` ms. */
export async function until(condition: () => boolean | Promise<boolean>, within = Infinity, every = 20): Promise<boolean> {
  const end = performance.now() + within
  while (!(await condition())) {
    if (performance.now() > end) return false
    await sleep(every)
  }
  return true
}

/** Acts again and again until the signal, `ms` after the start and after each end of the action. */
export async function repeat(ms: number, signal: AbortSignal, act: () => Promise<void> | void): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await act()
  }
}
