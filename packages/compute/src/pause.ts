/** Timers that Node and browsers share. */

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

/** Makes a timer keep no process alive. In a browser a timer is a number. */
export function inBackground<Timer>(timer: Timer): Timer {
  ;(timer as { unref?: () => unknown }).unref?.()
  return timer
}

/** A timer of either platform. */
export type Timer = ReturnType<typeof setTimeout>
