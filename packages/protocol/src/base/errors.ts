/**
 * Base of all errors of jel, in every package. Distinguish errors by `code`, which is the same in
 * all versions: `instanceof` does not survive a `MessagePort` or a pipe.
 */
export abstract class JelError extends Error {
  /** Stable and in capitals, as in `POOL_LEFT`. */
  abstract readonly code: string

  override get name(): string {
    return this.constructor.name
  }
}

/**
 * A peer broke the wire format, a signature or a bound. Decoding throws no other error, and leaves
 * the state as it was before. `message` names the broken rule.
 */
export class FrameError extends Error {
  readonly code = 'FRAME_INVALID'
  override readonly name = 'FrameError'
}

/**
 * A well-formed statement breaks a bound that earlier releases do not have. Nodes of those releases
 * pass the statement on, so its sender may be honest. The receiver drops this statement, and keeps
 * the rest of the frame.
 */
export class BoundError extends FrameError {}
