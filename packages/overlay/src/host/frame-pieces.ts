/**
 * Counts the pieces in which frames arrive, without keeping them. gossipsub gathers a message piece
 * by piece, and each piece is an object of its own. So a message that comes byte by byte takes two
 * hundred times its memory, and joining its pieces blocks the thread.
 */
import type { Stream } from '@libp2p/interface'

/** Most pieces of one frame. Guess: an honest peer's pieces have kilobytes. */
export const maxPieces = 1_024

export class FramePieces {
  /** Pieces that have arrived of the incomplete frame. */
  count = 0
  /** Bytes that this frame still lacks; 0 within its length prefix. */
  #lacking = 0
  #length = 0
  #scale = 1

  add(bytes: Uint8Array): void {
    this.count += 1
    for (let at = 0; at < bytes.length;) {
      if (this.#lacking > 0) {
        const taken = Math.min(this.#lacking, bytes.length - at)
        at += taken
        this.#lacking -= taken
      } else {
        const byte = bytes[at++] as number
        this.#length += (byte & 0x7f) * this.#scale
        this.#scale *= 0x80
        if (byte >= 0x80) continue
        this.#lacking = this.#length
        this.#length = 0
        this.#scale = 1
      }
      if (this.#lacking === 0) this.count = at < bytes.length ? 1 : 0
    }
  }
}

/** Aborts the stream if a frame comes in too many pieces. */
export function boundPieces(stream: Stream): void {
  const pieces = new FramePieces()
  stream.addEventListener('message', ({ data }) => {
    pieces.add(data.subarray())
    if (pieces.count > maxPieces) stream.abort(new Error(`a message in more than ${maxPieces} pieces`))
  })
}
