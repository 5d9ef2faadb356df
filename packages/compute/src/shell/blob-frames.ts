import type { SendQueue } from '@jel/overlay'

export const BLOB_PROTOCOL = '/jel-compute-blob/1.0.0'
/** Bytes of one frame of a blob. */
export const CHUNK = 256 * 1024
/**
 * The time in which a member must answer, and the additional time for each byte of a blob, ms.
 * Guesses: a line of 2 Mbit/s.
 */
export const ANSWER_TIME = 15_000
const BYTE_TIME = 1 / 256

/** Returns how long the transfer of this many bytes may take, ms. */
export function timeFor(bytes: number): number {
  return ANSWER_TIME + bytes * BYTE_TIME
}

/**
 * Sends bytes in chunks. The last chunk is shorter than the others, and may be empty. So the
 * receiver recognizes the end.
 */
export function pushChunks(queue: SendQueue, bytes: Uint8Array): void {
  for (let at = 0; at <= bytes.length; at += CHUNK) queue.push(bytes.subarray(at, at + CHUNK))
}

/** The pieces of a blob, up to a limit. */
export class Gathered {
  readonly #limit: number
  readonly #pieces: Uint8Array[] = []
  size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds a piece. Returns false, and adds nothing, if the pieces would exceed the limit. */
  add(piece: Uint8Array): boolean {
    if (this.size + piece.length > this.#limit) return false
    this.size += piece.length
    this.#pieces.push(piece)
    return true
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.size)
    let at = 0
    for (const piece of this.#pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }
}
