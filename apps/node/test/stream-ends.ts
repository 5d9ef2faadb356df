import { PassThrough } from 'node:stream'
import type { Stream } from '@jel/jel'

/** One end of a stream. The test plays the other one. */
export class StreamEnds {
  readonly sent: Record<string, unknown>[] = []
  aborted: Error | undefined
  isClosed = false
  readonly #incoming = new PassThrough()

  readonly stream = {
    send: (bytes: Uint8Array) => this.sent.push(JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>),
    close: async () => void (this.isClosed = true),
    closeRead: async () => {},
    abort: (error: Error) => {
      this.aborted = error
      this.#incoming.end()
    },
    [Symbol.asyncIterator]: () => this.#incoming[Symbol.asyncIterator](),
  } as unknown as Stream

  /** The other side ends the stream. */
  end(): void {
    this.#incoming.end()
  }

  write(text: string): void {
    this.#incoming.write(text)
  }
}
