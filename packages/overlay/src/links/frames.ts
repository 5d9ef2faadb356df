/**
 * Frames on a stream: an unsigned varint with the length, then that many bytes, as everywhere in libp2p. These are the stages of the pipelines in
 * channel.ts that turn bytes into frames and back.
 */
import { decode, encode } from 'it-length-prefixed'
import { Uint8ArrayList } from 'uint8arraylist'

/** Bytes of a length prefix at most: 2^28 is far above any sensible bound. */
const maxPrefixBytes = 4

/**
 * Pieces that a frame may arrive in. Each is held as an object of its own until the frame is whole, so that one that comes byte by byte takes two hundred times
 * its memory. Guess: an honest peer's pieces have kilobytes.
 */
const maxPieces = 1_024

/** What `decode` throws at bytes that hold no frames; a stream that ends within one is only broken. */
const broken = new Set(['InvalidDataLengthError', 'InvalidDataLengthLengthError', 'InvalidMessageLengthError'])

/** The stream does not hold frames, or larger ones than allowed. What follows on it can't be understood. */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

type Bytes = Uint8Array | Uint8ArrayList

/** Bytes to frames of at most `maxBytes`. Throws {@link FramingError} at the first that is none; the frames before it have been given. */
export async function* decodeFrames(source: AsyncIterable<Bytes>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let pieces = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      pieces += 1
      if (pieces > maxPieces) throw new FramingError(`a frame in more than ${maxPieces} pieces`)
      yield piece.subarray() // a list of many becomes one
    }
  }
  try {
    for await (const frame of decode(counted(), { maxDataLength: maxBytes, maxLengthLength: maxPrefixBytes })) {
      pieces = 0
      // A frame of its own memory: what is kept of it must not keep all that arrived with it.
      yield new Uint8Array(frame.subarray())
    }
  } catch (error) {
    if (!(error instanceof Error) || !broken.has(error.name)) throw error
    const problem = error.name === 'InvalidDataLengthError' ? `more than the ${maxBytes} bytes that are allowed` : 'a length without end'
    throw new FramingError(`a frame of ${problem}`, { cause: error })
  }
}

/** Frames to bytes, each batch in one piece: headers and encryption cost more than small frames do. */
export async function* encodeFrames(source: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<Uint8ArrayList> {
  for await (const frames of source) yield new Uint8ArrayList(...encode(frames))
}

/** One frame as it goes over a stream. */
export function encodeFrame(frame: Uint8Array): Uint8Array {
  return encode.single(frame).subarray()
}
