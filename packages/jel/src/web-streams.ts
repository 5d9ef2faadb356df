import type { Stream } from '@libp2p/interface'
import { drained } from './drain.ts'

/** How many bytes may wait for a reader before the other member must wait. A guess. */
const READ_AHEAD = 65_536

/** The two directions of a stream, as web streams. */
export interface WebStreams {
  /** Ends when the other member ends its direction. Errors if the stream breaks. */
  readonly readable: ReadableStream<Uint8Array>
  /** Its writer waits while the other member reads slowly. `close()` ends this direction only. */
  readonly writable: WritableStream<Uint8Array>
}

/**
 * Returns a stream of `open` or of a handler as web streams. From then on, read and write only
 * through these.
 */
export function webStreams(stream: Stream): WebStreams {
  let isOpen = true
  const ended = (end: () => void): void => {
    if (isOpen) end()
    isOpen = false
  }
  return {
    readable: new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream.addEventListener('message', ({ data }) => {
            if (!isOpen) return
            controller.enqueue(data instanceof Uint8Array ? data : data.subarray())
            if ((controller.desiredSize ?? 0) <= 0 && stream.readStatus === 'readable') stream.pause()
          })
          const close = (): void => ended(() => controller.close())
          // A broken stream dispatches `end`, too. Then `close` follows, with the error.
          stream.addEventListener('end', () => (isBroken(stream) ? undefined : close()))
          // If there is no error, bytes may still wait for the reader. Then `end` follows them.
          stream.addEventListener('close', ({ error }) => (error === undefined ? undefined : ended(() => controller.error(error))))
          if (isBroken(stream)) ended(() => controller.error(new Error('the stream is broken')))
          else if (stream.readableEnded) close()
        },
        pull() {
          if (stream.readStatus === 'paused') stream.resume()
        },
        async cancel() {
          isOpen = false
          await stream.closeRead()
        },
      },
      { highWaterMark: READ_AHEAD, size: ({ length }) => length },
    ),
    writable: new WritableStream({
      async write(chunk) {
        if (!stream.send(chunk)) await drained(stream)
      },
      async close() {
        await stream.close()
      },
      abort(reason: unknown) {
        stream.abort(reason instanceof Error ? reason : new Error(String(reason)))
      },
    }),
  }
}

function isBroken({ status }: Stream): boolean {
  return status === 'aborted' || status === 'reset'
}
