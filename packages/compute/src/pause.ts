/** Waiting, in Node and in browsers. */
import { inBackground } from '@jel/overlay'

export { inBackground, type Timer } from '@jel/overlay'

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
