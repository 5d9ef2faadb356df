import { FrameError } from '../base/errors.ts'

/** Decodes with a generated codec. Turns any error of it into a {@link FrameError}. */
export function decode<T>(codec: { decode(data: Uint8Array, options?: never): T }, data: Uint8Array, limits?: object): T {
  try {
    return codec.decode(data, (limits === undefined ? undefined : { limits }) as never)
  } catch (cause) {
    throw new FrameError(`not decodable: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
