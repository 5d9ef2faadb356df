/** Waits with a time limit, and repeated actions. */
import { setTimeout as sleep } from 'node:timers/promises'

/** An event did not happen in time. */
export class NeverError extends Error {}

const LATE = Symbol('late')

/**
 * Waits for `promise`. `what` names it in the error.
 * @throws {NeverError} if the promise is pending after `ms`.
 */
export async function within<Value>(ms: number, what: string, promise: Promise<Value>): Promise<Value> {
  const value = await soon(ms, LATE, promise)
  if (value === LATE) throw new NeverError(`${what}: nothing for ${(ms / 1000).toFixed(0)} s`)
  return value
}

/** Waits for `promise`. Returns `instead` if the promise is pending after `ms`. */
export async function soon<Value, const Instead>(ms: number, instead: Instead, promise: Promise<Value>): Promise<Value | Instead> {
  const late = Promise.withResolvers<Instead>()
  const timer = setTimeout(() => late.resolve(instead), ms)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
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
