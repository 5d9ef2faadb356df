/**
 * Counts the pieces in which frames arrive, and the frames, without keeping them. gossipsub gathers
 * a message piece by piece, and each piece is an object of its own. So a message that comes byte by
 * byte takes two hundred times its memory, and joining its pieces blocks the thread. gossipsub also
 * handles all messages that have arrived before the thread is free again. So thousands of tiny
 * messages block the thread as well.
 */
import type { Stream } from '@libp2p/interface'
import { nextTurn } from '../base/timers.ts'

/** Maximum number of pieces of one frame. Guess: an honest peer's pieces have kilobytes. */
export const maxPieces = 1_024

/**
 * Maximum number of frames in one turn of the event loop. Guess: an honest peer's frames have 16
 * bytes or more, and no more than a window of 256 KiB arrives in a turn.
 */
const maxFrames = 16_384

export class FramePieces {
  /** Number of pieces of the incomplete frame that have arrived. */
  count = 0
  /** Number of frames that ended. The owner resets it. */
  frames = 0
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
      if (this.#lacking > 0) continue
      this.count = at < bytes.length ? 1 : 0
      this.frames += 1
    }
  }
}

/** Aborts the stream if a frame comes in too many pieces, or too many frames come at once. */
export function boundPieces(stream: Stream): void {
  const pieces = new FramePieces()
  stream.addEventListener('message', ({ data }) => {
    if (pieces.frames === 0) nextTurn(() => void (pieces.frames = 0))
    pieces.add(data.subarray())
    if (pieces.count > maxPieces) stream.abort(new Error(`a message in more than ${maxPieces} pieces`))
    else if (pieces.frames > maxFrames) stream.abort(new Error(`more than ${maxFrames} messages at once`))
  })
}
