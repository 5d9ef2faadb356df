/** Timers that Node and browsers share. They keep no process alive. */

export function later(action: () => void, time: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(action, time)
  ;(timer as { unref?: () => unknown }).unref?.()
  return timer
}

/** Resolves after this time, ms. Rejects with the reason of the signal. */
export async function delay(time: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  const timer = later(resolve, time)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}
