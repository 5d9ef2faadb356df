import { FrameError } from '../base/errors.ts'

/**
 * Decodes with a generated codec. Turns any error of it into a {@link FrameError}.
 *
 * A host may hand over a Node `Buffer`. The codec would cut Buffers from it, whose `slice` is a
 * view: a kept value would then hold the whole frame, and an application would see another class.
 */
export function decode<T>(codec: { decode(data: Uint8Array, options?: never): T }, data: Uint8Array, limits?: object): T {
  const plain = data.constructor === Uint8Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  try {
    return codec.decode(plain, (limits === undefined ? undefined : { limits }) as never)
  } catch (cause) {
    throw new FrameError(`not decodable: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
