import type { MemberId, Milliseconds } from './ids.ts'
import { NOTHING_SHARED, type Shared } from './shared-value.ts'

/** An execution of a task at this member. */
export interface Frame {
  /**
   * `lookup`: waits for the answers of replicas. `ready`: in the deque. `running`: at a worker,
   * also while it awaits children. `parked`: it awaits children, and is at no worker.
   */
  state: 'lookup' | 'ready' | 'running' | 'parked'
  /** The worker, while it runs. */
  slot: number
  /** Time of its arrival here. */
  readonly since: Milliseconds
  /** It came from another member, or it is the root. Replicas learn that it is here. */
  readonly claimed: boolean
  /**
   * The member that gave it. If others still report a claim of that member, the claim is out of
   * date.
   */
  from: MemberId | undefined
  readonly second: boolean
  readonly replay: boolean
  /**
   * A holder of the task was lost. Replicas learn of the task and of its children before they begin
   * here.
   */
  careful: boolean
  spawned: number
  /** Bytes of the inputs of children that wait. */
  openBytes: number
  settled: number
  shared: Shared
  /** The shared values that it began with. */
  given: Shared
  /** Processor time that it took, or is estimated to take. */
  charged: Milliseconds
}

export function newFrame(since: Milliseconds, options: Partial<Pick<Frame, 'claimed' | 'from' | 'second' | 'replay'>> = {}): Frame {
  const { claimed = false, from, second = false, replay = false } = options
  return {
    state: 'ready',
    slot: -1,
    since,
    claimed,
    from,
    second,
    replay,
    careful: false,
    spawned: 0,
    openBytes: 0,
    settled: 0,
    shared: NOTHING_SHARED,
    given: NOTHING_SHARED,
    charged: 0,
  }
}

/** Whether this replica counts as a holder of the task. */
export function isHeld(frame: Frame | undefined): boolean {
  return frame?.claimed === true && !frame.second && frame.state !== 'lookup'
}
