import type { Stream } from '@libp2p/interface'

/**
 * Resolves when a stream takes more data. Rejects when the stream closes, or with the reason of
 * `signal`. libp2p's own `onDrain()` keeps the promise of its first call. From the second call on
 * it resolves at once and never stops a writer again.
 */
export async function drained(stream: Stream, signal?: AbortSignal): Promise<void> {
  if (!stream.writableNeedsDrain) return
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onDrain = (): void => resolve()
  const onClose = (): void => reject(new Error('the stream was closed'))
  const onAbort = (): void => reject(signal?.reason)
  stream.addEventListener('drain', onDrain)
  stream.addEventListener('close', onClose)
  signal?.addEventListener('abort', onAbort)
  try {
    await promise
  } finally {
    stream.removeEventListener('drain', onDrain)
    stream.removeEventListener('close', onClose)
    signal?.removeEventListener('abort', onAbort)
  }
}
