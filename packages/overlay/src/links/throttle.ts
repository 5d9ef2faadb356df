/**
 * Pauses the reading of a stream. Meanwhile the peer's data fills the stream's window and then
 * waits on the peer's side. This is back-pressure: nothing is lost.
 */
import type { Stream } from '@libp2p/interface'

export class Throttle {
  readonly #stream: Stream
  #paused: PromiseWithResolvers<void> | undefined
  #until = 0
  #timer: NodeJS.Timeout | undefined

  constructor(stream: Stream) {
    this.#stream = stream
    // A pause must not hide the end of a stream. The stream delivers data that had arrived before
    // it ends.
    stream.addEventListener('close', () => this.resume())
    stream.addEventListener('remoteCloseWrite', () => this.resume())
  }

  /** Pauses for this time, ms. An earlier pause that ends later stays. */
  pause(time: number): void {
    const until = performance.now() + time
    if (until <= this.#until || this.#stream.status !== 'open') return
    this.#until = until
    this.#paused ??= Promise.withResolvers()
    if (this.#stream.readStatus === 'readable') this.#stream.pause()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.resume(), Math.max(time, 0))
  }

  resume(): void {
    clearTimeout(this.#timer)
    this.#until = 0
    this.#paused?.resolve()
    this.#paused = undefined
    try {
      if (this.#stream.readStatus === 'paused') this.#stream.resume()
    } catch {
      // The stream delivers the data that had arrived. Then it can't resume the peer: the
      // connection is gone.
    }
  }

  async *pass<Frame>(source: AsyncIterable<Frame>): AsyncGenerator<Frame> {
    for await (const frame of source) {
      while (this.#paused) await this.#paused.promise
      yield frame
    }
  }
}
