/**
 * Bounds the duration of each measurement. A result that does not come in time counts as never, and
 * the run goes on.
 */
import { setTimeout as sleep } from 'node:timers/promises'

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
