import type { Frame } from './frame.ts'
import type { Milliseconds } from './io.ts'

/**
 * Counts the frames of one job that run or wait at this member, and the bytes of the inputs of
 * their children.
 */
export class OpenFrames {
  /** Bytes of the inputs of children that wait, over all frames. */
  bytes = 0
  /** Time at which a frame last began. */
  since: Milliseconds = 0
  /** The number of frames for each worker that has any. */
  readonly #slots = new Map<number, number>()

  /** Number of frames at workers. They run, or wait for children. */
  get running(): number {
    let running = 0
    for (const frames of this.#slots.values()) running += frames
    return running
  }

  /** Whether frames are at a worker. The worker keeps a process for them. */
  isAt(slot: number): boolean {
    return this.#slots.has(slot)
  }

  /** A frame begins at its worker. */
  began({ slot }: Frame, now: Milliseconds): void {
    this.since = now
    this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + 1)
  }

  /** A frame called for a child with an input of this many bytes. Negative: the child has ended. */
  waits(frame: Frame, bytes: number): void {
    frame.openBytes += bytes
    this.bytes += bytes
  }

  /** A frame ended. It may have ended before it began at a worker. */
  ended(frame: Frame): void {
    this.waits(frame, -frame.openBytes)
    if (frame.state === 'running') this.left(frame)
  }

  /** A frame left its worker. It may go on waiting. */
  left(frame: Frame): void {
    const left = (this.#slots.get(frame.slot) ?? 0) - 1
    if (left > 0) this.#slots.set(frame.slot, left)
    else this.#slots.delete(frame.slot)
  }
}
