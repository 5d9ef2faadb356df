/**
 * Base of all errors of jel, in every package. Tell errors apart by `code`, which stays the same from version to version: `instanceof` does not
 * survive a `MessagePort` or a pipe.
 */
export abstract class JelError extends Error {
  /** Stable and in capitals, as `POOL_LEFT`. */
  abstract readonly code: string

  override get name(): string {
    return this.constructor.name
  }
}

/**
 * What a peer sent breaks the wire format, a signature or a bound. The only error that decoding throws; the state is then
 * what it was before. `message` says which rule was broken.
 */
export class FrameError extends Error {
  readonly code = 'FRAME_INVALID'
  override readonly name = 'FrameError'
}

/**
 * A statement is well formed and breaks a bound that earlier releases do not have: they pass it on, and who brings it is honest.
 * Such a statement is left out, and the rest of the frame taken.
 */
export class BoundError extends FrameError {}
