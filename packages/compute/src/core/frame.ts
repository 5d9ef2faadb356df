import type { MemberId, Milliseconds } from './ids.ts'
import { NOTHING_SHARED, type Shared } from './shared-value.ts'

/** An execution of a task at this member. */
export interface Frame {
  /**
   * `lookup`: waits for the answers of replicas. `ready`: in the deque. `running`: at a worker,
   * also while it awaits children. `parked`: it awaits children, and is at no worker.
   */
  state: 'lookup' | 'ready' | 'running' | 'parked'
  /** The worker at which the frame runs. */
  slot: number
  /** Time of the task's arrival here. */
  readonly since: Milliseconds
  /**
   * The task came from another member, or is the root. Replicas learn that this member holds it.
   */
  readonly claimed: boolean
  /**
   * The member that gave the task. If others still report a claim of that member, the claim is out
   * of date.
   */
  from: MemberId | undefined
  readonly second: boolean
  readonly replay: boolean
  /**
   * A holder of the task was lost. Replicas learn of the task, and of each child, before it begins
   * here.
   */
  careful: boolean
  spawned: number
  /** Bytes of the inputs of children that wait. */
  openBytes: number
  settled: number
  shared: Shared
  /** The shared values that the frame began with. */
  given: Shared
  /**
   * Estimate of the processor time that the frame takes. `tickets`: the tickets of its owner when
   * the owner was charged this estimate.
   */
  charged: Milliseconds
  tickets: number
}

export type FrameOptions = Partial<Pick<Frame, 'claimed' | 'from' | 'second' | 'replay' | 'careful'>>

export function newFrame(since: Milliseconds, options: FrameOptions = {}): Frame {
  const { claimed = false, from, second = false, replay = false, careful = false } = options
  return {
    state: 'ready',
    slot: -1,
    since,
    claimed,
    from,
    second,
    replay,
    careful,
    spawned: 0,
    openBytes: 0,
    settled: 0,
    shared: NOTHING_SHARED,
    given: NOTHING_SHARED,
    charged: 0,
    tickets: 0,
  }
}

/** Whether this replica counts as a holder of the task. */
export function isHeld(frame: Frame | undefined): boolean {
  return frame?.claimed === true && !frame.second && frame.state !== 'lookup'
}
