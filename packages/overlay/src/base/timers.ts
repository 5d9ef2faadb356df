/** Timers that Node and browsers share. */

export type Timer = ReturnType<typeof setTimeout>

/** Makes this timer keep no process alive. In a browser no timer does. */
export function inBackground(timer: Timer): Timer {
  ;(timer as { unref?: () => unknown }).unref?.()
  return timer
}

/** Calls the action after this time, ms, without keeping the process alive. */
export function later(action: () => void, time: number): Timer {
  return inBackground(setTimeout(action, time))
}

/** Calls the action after the events that wait now. */
export const nextTurn: (action: () => void) => void =
  typeof setImmediate === 'function' ? (action) => void setImmediate(action) : (action) => void setTimeout(action, 0)

/**
 * Waits for this time, ms. Rejects once the signal aborts.
 *
 * @param background whether the wait keeps no process alive; default: false
 */
export async function pause(
  time: number,
  { signal, background = false }: { signal?: AbortSignal; background?: boolean } = {},
): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abort = (): void => reject(signal?.reason as Error)
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(resolve, time)
  if (background) inBackground(timer)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
