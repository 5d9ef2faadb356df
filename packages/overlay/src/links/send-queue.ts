/**
 * Frames that wait to be sent, in order.
 */

/**
 * Bytes handed to the stream at a time. The stream keeps the bytes that it can't send at once. With
 * small batches few bytes are in memory twice. Guess.
 */
const batchBytes = 65_536

export class SendQueue implements AsyncIterable<readonly Uint8Array[]> {
  #frames: Uint8Array[] = []
  #bytes = 0
  #hasEnded = false
  #wake: (() => void) | undefined

  /** Bytes of the frames that wait. */
  get bytes(): number {
    return this.#bytes
  }

  push(frame: Uint8Array): void {
    if (this.#hasEnded) return
    this.#frames.push(frame)
    this.#bytes += frame.length
    this.#wake?.()
  }

  /** Accepts no more frames. Waiting frames are still sent. */
  end(): void {
    this.#hasEnded = true
    this.#wake?.()
  }

  clear(): void {
    this.#frames = []
    this.#bytes = 0
  }

  /** Yields batches: all frames pushed within a tick, up to a limit. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Uint8Array[]> {
    for (;;) {
      if (this.#frames.length === 0 && !this.#hasEnded) await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#wake = undefined
      await Promise.resolve() // the caller may push more before it returns
      if (this.#frames.length > 0) yield this.#take()
      else if (this.#hasEnded) return
    }
  }

  #take(): readonly Uint8Array[] {
    let count = 0
    let bytes = 0
    while (count < this.#frames.length && (count === 0 || bytes < batchBytes)) {
      bytes += (this.#frames[count] as Uint8Array).length
      count += 1
    }
    this.#bytes -= bytes
    return this.#frames.splice(0, count)
  }
}
