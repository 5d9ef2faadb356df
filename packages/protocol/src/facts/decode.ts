import { FrameError } from '../base/errors.ts'

/**
 * Decodes with a generated codec. Any error of the codec becomes a {@link FrameError}.
 *
 * A host may hand over a Node `Buffer`. Then the decoded fields would be Buffers, too. The `slice`
 * of a Buffer is a view, so a kept field would keep the whole frame in memory. An application would
 * also see a class other than `Uint8Array`.
 */
export function decode<T>(codec: { decode(data: Uint8Array, options?: never): T }, data: Uint8Array, limits?: object): T {
  const plain = data.constructor === Uint8Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  try {
    return codec.decode(plain, (limits === undefined ? undefined : { limits }) as never)
  } catch (cause) {
    throw new FrameError(`not decodable: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
