/**
 * What a peer sent breaks the wire format, a signature or a bound. The only error that decoding throws; the state is then
 * what it was before. `message` says which rule was broken.
 */
export class FrameError extends Error {
  readonly code = 'FRAME_INVALID'
  override readonly name = 'FrameError'
}
