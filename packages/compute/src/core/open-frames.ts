import type { Frame } from './frame.ts'
import type { Milliseconds } from './io.ts'
import type { TaskNode } from './task-node.ts'

/**
 * Counts the frames of one job that run or wait at this member, and the bytes of the inputs of
 * their children.
 */
export class OpenFrames {
  /** Bytes of the inputs of children that wait, over all frames. */
  bytes = 0
  /** Time at which a frame last began. */
  since: Milliseconds = 0
  /** The value of `since` at the last check for a task that runs for long. */
  noted: Milliseconds | undefined
  /** The tasks of the frames at workers, and the times when they began there. */
  readonly #begun = new Map<Frame, { readonly node: TaskNode; readonly at: Milliseconds }>()

  /** Number of frames at workers. They run, or wait for children. */
  get running(): number {
    return this.#begun.size
  }

  /** Whether frames are at a worker. The worker keeps a process for them. */
  isAt(slot: number): boolean {
    return [...this.#begun.keys()].some((frame) => frame.slot === slot)
  }

  /** Returns the tasks at workers that have spawned no other task, the oldest first. */
  leaves(): { readonly node: TaskNode; readonly at: Milliseconds }[] {
    return [...this.#begun].flatMap(([{ spawned }, begun]) => (spawned === 0 ? [begun] : []))
  }

  /** The frame of a task begins at its worker. */
  began(node: TaskNode, frame: Frame, now: Milliseconds): void {
    this.since = now
    this.#begun.set(frame, { node, at: now })
  }

  /** A frame spawned a child with an input of this many bytes. Negative: the child has ended. */
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
    this.#begun.delete(frame)
  }
}
