import type { OutputStream } from './messages.ts'

/**
 * Gives everything that this process writes to its standard streams to `take`. Writes that pass by
 * these objects, such as those of child processes, are not included.
 */
export function captureOutput(take: (stream: OutputStream, text: string) => void): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    process[stream].write = (chunk: Uint8Array | string, encoding?: unknown, done?: unknown): boolean => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('utf8')
      take(stream, text)
      const callback = typeof encoding === 'function' ? encoding : done
      if (typeof callback === 'function') queueMicrotask(() => (callback as () => void)())
      return true
    }
  }
}
