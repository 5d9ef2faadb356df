/**
 * Frames on a stream: an unsigned varint with the length, then that many bytes. Bounded on both sides.
 */
import type { Uint8ArrayList } from 'uint8arraylist'

/** Bytes of a length prefix at most: 2^28 is far above any sensible bound. */
const maxPrefixBytes = 4

/** The stream does not hold frames, or larger ones than allowed. What follows on it can't be understood. */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

/** The length prefix of a frame. */
export function encodePrefix(length: number): Uint8Array {
  const bytes: number[] = []
  let rest = length
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/** Takes bytes as they arrive and gives whole frames. Buffers one unfinished frame, never more than the bound. */
export class FrameDecoder {
  readonly #maxBytes: number
  #length = 0
  #prefixBytes = 0
  /** The frame being filled; undefined while its prefix is being read. */
  #frame: Uint8Array | undefined
  #filled = 0
  /** What was wrong. What comes behind it on the stream can't be told apart any more. */
  #broken: FramingError | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Throws {@link FramingError} at the first byte that breaks a rule, and ever after; the frames before it have been given. */
  *decode(data: Uint8Array | Uint8ArrayList): Generator<Uint8Array> {
    if (this.#broken) throw this.#broken
    for (const chunk of data instanceof Uint8Array ? [data] : data) yield* this.#decode(chunk)
  }

  *#decode(chunk: Uint8Array): Generator<Uint8Array> {
    let offset = 0
    while (offset < chunk.length) {
      if (!this.#frame) {
        const done = this.#readPrefix(chunk[offset] ?? 0)
        offset += 1
        if (!done) continue
        this.#frame = new Uint8Array(this.#length)
        this.#filled = 0
      }
      const part = chunk.subarray(offset, offset + this.#frame.length - this.#filled)
      this.#frame.set(part, this.#filled)
      this.#filled += part.length
      offset += part.length
      if (this.#filled === this.#frame.length) {
        const frame = this.#frame
        this.#frame = undefined
        this.#length = 0
        this.#prefixBytes = 0
        yield frame
      }
    }
  }

  /** True when the prefix is complete. */
  #readPrefix(byte: number): boolean {
    this.#length |= (byte & 0x7f) << (7 * this.#prefixBytes)
    this.#prefixBytes += 1
    if (byte >= 0x80) {
      if (this.#prefixBytes === maxPrefixBytes) this.#break(`garbage: the length of a frame takes more than ${maxPrefixBytes} bytes`)
      return false
    }
    // A frame without bytes means nothing, and a length that takes more bytes than it needs was not written by encodePrefix.
    if (byte === 0) this.#break(`garbage: ${this.#prefixBytes === 1 ? 'an empty frame' : 'a padded frame length'}`)
    if (this.#length > this.#maxBytes) this.#break(`a frame of ${this.#length} bytes; ${this.#maxBytes} are allowed`)
    return true
  }

  #break(problem: string): never {
    this.#broken = new FramingError(problem)
    throw this.#broken
  }
}
