/**
 * A gate in the reading of a stream. While it is closed nothing is read from the stream either. The
 * peer's data fills the stream's window and then waits on the peer's side: back-pressure, with
 * nothing lost.
 */
import type { Stream } from '@libp2p/interface'

export class Gate {
  readonly #stream: Stream
  #closed: PromiseWithResolvers<void> | undefined
  #until = 0
  #timer: NodeJS.Timeout | undefined

  constructor(stream: Stream) {
    this.#stream = stream
    // A pause must not hide the end of a stream. The data that had arrived comes first.
    stream.addEventListener('close', () => this.open())
    stream.addEventListener('remoteCloseWrite', () => this.open())
  }

  /** Closes the gate for this time, ms. A longer earlier pause prevails. */
  pause(time: number): void {
    const until = performance.now() + time
    if (until <= this.#until || this.#stream.status !== 'open') return
    this.#until = until
    this.#closed ??= Promise.withResolvers()
    if (this.#stream.readStatus === 'readable') this.#stream.pause()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.open(), Math.max(time, 0))
  }

  open(): void {
    clearTimeout(this.#timer)
    this.#until = 0
    this.#closed?.resolve()
    this.#closed = undefined
    try {
      if (this.#stream.readStatus === 'paused') this.#stream.resume()
    } catch {
      // The stream delivers the data that had arrived, and then can't resume the peer, as the
      // connection is gone.
    }
  }

  async *pass<Frame>(source: AsyncIterable<Frame>): AsyncGenerator<Frame> {
    for await (const frame of source) {
      while (this.#closed) await this.#closed.promise
      yield frame
    }
  }
}
