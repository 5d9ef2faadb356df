/**
 * Frames on a stream: an unsigned varint with the length, then that many bytes, as everywhere in
 * libp2p. These are the stages of the pipelines in frame-stream.ts that turn bytes into frames and
 * back.
 */
import { decode, encode } from 'it-length-prefixed'
import { Uint8ArrayList } from 'uint8arraylist'

/** Longest length prefix, bytes: 2^28 is far above any sensible bound. */
const maxPrefixBytes = 4

/**
 * Pieces in which a frame may arrive. Each is an object of its own until the frame is complete, so
 * a frame that comes byte by byte takes two hundred times its memory. Guess: an honest peer's
 * pieces have kilobytes.
 */
const maxPieces = 1_024

/**
 * The errors of `decode` for bytes that hold no frames. A stream that ends within a frame is only
 * broken.
 */
const broken = new Set(['InvalidDataLengthError', 'InvalidDataLengthLengthError', 'InvalidMessageLengthError'])

/** The stream does not hold frames, or frames above the limit. Its later bytes can't be decoded. */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

type Bytes = Uint8Array | Uint8ArrayList

/**
 * Decodes bytes to frames of at most `maxBytes`. Throws {@link FramingError} at the first invalid
 * one, after it has yielded the frames before it.
 */
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
      // A frame in its own memory: a kept part of it must not keep all data that arrived with it.
      yield new Uint8Array(frame.subarray())
    }
  } catch (error) {
    if (!(error instanceof Error) || !broken.has(error.name)) throw error
    const problem = error.name === 'InvalidDataLengthError' ? `more than the ${maxBytes} bytes that are allowed` : 'a length without end'
    throw new FramingError(`a frame of ${problem}`, { cause: error })
  }
}

/**
 * Encodes frames to bytes, each batch in one piece: headers and encryption cost more than small
 * frames do.
 */
export async function* encodeFrames(source: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<Uint8ArrayList> {
  for await (const frames of source) yield new Uint8ArrayList(...encode(frames))
}

/** Returns one frame as it goes over a stream. */
export function encodeFrame(frame: Uint8Array): Uint8Array {
  return encode.single(frame).subarray()
}
