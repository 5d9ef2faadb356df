/**
 * Frames on a stream: an unsigned varint with the length, then that many bytes, as everywhere in
 * libp2p. These stages turn bytes into frames and back. The pipelines in frame-stream.ts use them.
 */
import { decode, encode } from 'it-length-prefixed'
import { Uint8ArrayList } from 'uint8arraylist'

/** Longest length prefix, bytes. 2^28 is far above any sensible bound. */
const maxPrefixBytes = 4

/**
 * Pieces in which a frame may arrive. Each piece is an object of its own until the frame is
 * complete. So a frame that comes byte by byte takes two hundred times its memory. Guess: an honest
 * peer's pieces have kilobytes.
 */
const maxPieces = 1_024

/**
 * The errors of `decode` for bytes that hold no frames. If a stream ends within a frame, it is only
 * broken.
 */
const broken = new Set(['InvalidDataLengthError', 'InvalidDataLengthLengthError', 'InvalidMessageLengthError'])

/**
 * The stream does not hold frames, or a frame is above the limit. Its later bytes can't be decoded.
 */
export class FramingError extends Error {
  override readonly name = 'FramingError'
}

type Bytes = Uint8Array | Uint8ArrayList

/**
 * Decodes bytes to frames of at most `maxBytes`. Yields the frames before the first invalid frame,
 * then throws {@link FramingError}.
 */
export async function* decodeFrames(source: AsyncIterable<Bytes>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let pieces = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      pieces += 1
      if (pieces > maxPieces) throw new FramingError(`a frame in more than ${maxPieces} pieces`)
      yield piece.subarray() // joins the parts of a list
    }
  }
  try {
    for await (const frame of decode(counted(), { maxDataLength: maxBytes, maxLengthLength: maxPrefixBytes })) {
      pieces = 0
      // Each frame has its own memory. Otherwise a kept part of it would keep all data that arrived
      // with it.
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
 * frames.
 */
export async function* encodeFrames(source: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<Uint8ArrayList> {
  // The receiver bounds frames. With the library's default limit longer ones would fail.
  for await (const frames of source) yield new Uint8ArrayList(...encode(frames, { maxDataLength: Infinity }))
}

/** Returns one frame with its length, as it goes over a stream. */
export function encodeFrame(frame: Uint8Array): Uint8Array {
  return encode.single(frame).subarray()
}
