import type { Entry, Task } from './entry.ts'
import type { Frame } from './frame.ts'
import type { MemberId, Milliseconds } from './ids.ts'
import { STEP_LENGTH, type Path } from './path.ts'
import type { KeptState } from './saved-state.ts'
import type { Tries } from './tries.ts'

/** Another member's frame, as known to a replica or to a member that looked it up. */
export interface KnownClaim {
  readonly task: Task | undefined
  readonly since: Milliseconds
  progress: number
  leaf: boolean
  readonly second: boolean
  /** The member that stated the claim: the holder, a replica, or this member. */
  readonly by: MemberId
}

/** Maximum number of lost holders of one task that a member remembers. A guess. */
const MAX_LOST_HOLDERS = 8

/** All that this member knows of one task. */
export class TaskNode {
  readonly path: Path
  readonly parent: TaskNode | undefined
  /**
   * The member whose statement first named the task here; undefined: this member knew it by itself.
   */
  readonly by: MemberId | undefined
  children: Map<string, TaskNode> | undefined
  task: Task | undefined
  entry: Entry | undefined
  /** Size of the input, bytes, if the parent runs here and has spawned this task; otherwise 0. */
  inputSize = 0
  /** The execution of the task here. */
  frame: Frame | undefined
  /**
   * The member whose outcome this member waits for. This member gave it the task, or it had the
   * task already.
   */
  holder: MemberId | undefined
  /**
   * The member that is to blame if the holder does not have the task. At first it is the member
   * that named the holder. Once the holder has asked for the task or confirmed it, it is the holder
   * itself. Undefined: claims named the holder.
   */
  namedBy: MemberId | undefined
  /**
   * Holders that were gone while this member waited for them, the latest last, and how often.
   */
  lostHolders: Map<MemberId, number> | undefined
  /**
   * `awaitedSince`: start of this wait, or time of the latest progress. `heldAt`: time when the
   * holder last confirmed that it has the task.
   */
  awaitedSince: Milliseconds = 0
  heldAt: Milliseconds = 0
  progress = 0
  /** The parent's frame here waits for the task. */
  wanted = false
  /** Members that must receive its outcome. */
  waiters: Set<MemberId> | undefined
  claims: Map<MemberId, KnownClaim> | undefined
  /**
   * As far as this replica knows, members have claimed the task since this time, and no task below
   * it has ended since then.
   */
  quietSince: Milliseconds | undefined
  /**
   * Members that stated that they do not have the task. If others still report their claims, the
   * claims are out of date.
   */
  denied: Set<MemberId> | undefined
  /** How often a holder said that an earlier holder has the task again. */
  givenBack = 0
  /** Its crashes and lost holders; undefined: none. */
  tries: Tries | undefined
  /** Set if the job is voted on: one entry for each outcome, none with enough votes. */
  ballots: readonly Entry[] | undefined
  /** Bytes of the ballots that this member computed. */
  ballotBytes = 0
  /** The latest state that the task saved. It stays until the task has an outcome. */
  saved: KeptState | undefined

  constructor(path: Path, parent: TaskNode | undefined, by?: MemberId) {
    this.path = path
    this.parent = parent
    this.by = by
  }

  /** The member stated that it does not have the task. */
  deny(member: MemberId): void {
    this.denied = (this.denied ?? new Set()).add(member)
  }

  /** A holder is gone while this member waits for it. */
  lost(holder: MemberId): void {
    this.lostHolders ??= new Map()
    const lost = this.lostHolders
    const times = (lost.get(holder) ?? 0) + 1
    // Otherwise a member that leaves and comes back could keep the task for ever.
    if (times > 1) this.deny(holder)
    lost.delete(holder)
    lost.set(holder, times)
    const [first] = lost.keys()
    if (lost.size > MAX_LOST_HOLDERS && first !== undefined) lost.delete(first)
  }

  /** This member was cut off itself. So no holder has been lost with the task so far. */
  pardon(): void {
    for (const holder of this.lostHolders?.keys() ?? []) {
      this.lostHolders?.set(holder, 0)
      this.denied?.delete(holder)
    }
  }

  get step(): string {
    return this.path.slice(-STEP_LENGTH)
  }

  get isEmpty(): boolean {
    return (
      this.children === undefined &&
      this.entry === undefined &&
      this.frame === undefined &&
      this.holder === undefined &&
      this.waiters === undefined &&
      this.claims === undefined &&
      this.ballots === undefined &&
      this.tries === undefined &&
      this.saved === undefined &&
      !this.wanted
    )
  }
}

/** Returns the completed part of a task, 0 to 1. All children of a task count as equally large. */
export function progressOf(node: TaskNode): number {
  if (node.entry !== undefined) return 1
  if (node.frame === undefined) return node.progress
  if (node.frame.spawned === 0 || node.children === undefined) return 0
  let open = 0
  for (const child of node.children.values()) if (child.entry === undefined) open += 1 - progressOf(child)
  return Math.max(0, 1 - open / node.frame.spawned)
}
