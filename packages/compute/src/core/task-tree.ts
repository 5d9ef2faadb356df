import { entryBytes, type Entry, type Task } from './entry.ts'
import type { MemberId, Milliseconds } from './ids.ts'
import { depthOf, ROOT, STEP_LENGTH, stepsOf, type Path } from './path.ts'
import { NOTHING_SHARED, type Shared } from './shared-value.ts'
import type { Tries } from './tries.ts'

/** An execution of a task at this member. */
export interface Frame {
  /**
   * `lookup`: waits for the answers of replicas. `ready`: in the deque. `running`: at a worker,
   * also while it awaits children.
   */
  state: 'lookup' | 'ready' | 'running'
  /** The worker, while it runs. */
  slot: number
  /** Time of its arrival here. */
  readonly since: Milliseconds
  /** It came from another member, or it is the root. Replicas learn that it is here. */
  readonly claimed: boolean
  /** The member that gave it. Claims of that member, as others state them, are out of date. */
  from: MemberId | undefined
  readonly second: boolean
  readonly replay: boolean
  /**
   * A holder of it was lost, perhaps with a task below it. Replicas learn of each such task before
   * it begins here.
   */
  careful: boolean
  spawned: number
  /** Bytes of the inputs of children that wait. */
  openBytes: number
  settled: number
  shared: Shared
  /** Set if the job is voted on: the shared values that it began with. */
  given: Shared
  /** Processor time that it took, or is estimated to take. */
  charged: Milliseconds
}

/** Another member's frame, as a replica, or a member that looked it up, knows it. */
export interface KnownClaim {
  readonly task: Task | undefined
  readonly since: Milliseconds
  progress: number
  leaf: boolean
  readonly second: boolean
}

/** All that this member knows of one task. */
export class TaskNode {
  readonly path: Path
  readonly parent: TaskNode | undefined
  /** The member that named it to this one; undefined: this member met it itself. */
  readonly by: MemberId | undefined
  children: Map<string, TaskNode> | undefined
  task: Task | undefined
  entry: Entry | undefined
  /** Bytes of its input, as its parent here called for it. */
  inputSize = 0
  /** Its execution here. */
  frame: Frame | undefined
  /** The member that this one gave it to, or found it at, and waits for. */
  holder: MemberId | undefined
  /**
   * Start of this wait, or of the latest progress, and the time when the holder last confirmed that
   * it has the task.
   */
  awaitedSince: Milliseconds = 0
  heldAt: Milliseconds = 0
  progress = 0
  /** The frame of its parent, here, waits for it. */
  wanted = false
  /** Members that must receive its outcome. */
  waiters: Set<MemberId> | undefined
  claims: Map<MemberId, KnownClaim> | undefined
  /** Since then it is claimed and nothing below it was covered, as far as this replica knows. */
  quietSince: Milliseconds | undefined
  /** Members that denied having it. Claims of theirs, as others state them, are out of date. */
  denied: Set<MemberId> | undefined
  /** Its crashes and lost holders; undefined: none. */
  tries: Tries | undefined
  /** Set if the job is voted on: one entry for each outcome, none with enough votes. */
  ballots: readonly Entry[] | undefined

  constructor(path: Path, parent: TaskNode | undefined, by?: MemberId) {
    this.path = path
    this.parent = parent
    this.by = by
  }

  /** The member stated that it does not have the task. */
  deny(member: MemberId): void {
    this.denied = (this.denied ?? new Set()).add(member)
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
      !this.wanted
    )
  }
}

/**
 * The tasks of one job, as far as this member knows them. Its entries are this member's part of the
 * job's coverage: a set that only grows, where an entry replaces everything below it.
 */
export class TaskTree {
  readonly root = new TaskNode(ROOT, undefined)
  /** Bytes of its entries. */
  bytes = 0

  find(path: Path): TaskNode | undefined {
    let node: TaskNode | undefined = this.root
    for (const step of stepsOf(path)) {
      node = node.children?.get(step)
      if (node === undefined) return undefined
    }
    return node
  }

  /** Returns how many levels of a path are not known. */
  missing(path: Path): number {
    let [node, known] = [this.root as TaskNode | undefined, 0]
    for (const step of stepsOf(path)) {
      node = node?.children?.get(step)
      if (node === undefined) break
      known++
    }
    return depthOf(path) - known
  }

  /** `by`: the member that named it. */
  ensure(path: Path, by?: MemberId): TaskNode {
    let node = this.root
    for (const step of stepsOf(path)) node = this.child(node, step, by)
    return node
  }

  child(parent: TaskNode, step: string, by?: MemberId): TaskNode {
    parent.children ??= new Map()
    let node = parent.children.get(step)
    if (node === undefined) {
      node = new TaskNode(parent.path + step, parent, by)
      parent.children.set(step, node)
    }
    return node
  }

  /** Returns the entry of this task or of one above it. */
  covering(path: Path): Entry | undefined {
    let node: TaskNode | undefined = this.root
    if (node.entry !== undefined) return node.entry
    for (const step of stepsOf(path)) {
      node = node.children?.get(step)
      if (node === undefined) return undefined
      if (node.entry !== undefined) return node.entry
    }
    return undefined
  }

  /** Puts an entry in its place, and removes everything below it. */
  cover(node: TaskNode, entry: Entry): void {
    for (const below of this.within(node)) if (below.entry !== undefined) this.bytes -= entryBytes(below.entry)
    node.entry = entry
    node.children = undefined
    node.ballots = undefined
    node.denied = undefined
    this.bytes += entryBytes(entry)
  }

  /**
   * Yields a node and all below it, the node first. `seen`: nodes to leave out; each yielded node
   * is added. `after`: only nodes that come behind this path, and one that covers it meanwhile.
   * Nodes keep the order in which they came; later ones do not change it.
   */
  *within(node: TaskNode, seen?: Set<unknown>, after?: Path): Generator<TaskNode> {
    // No recursion: each step of a generator nested in 256 others takes 256 steps.
    const open = after?.startsWith(node.path) === true ? behind(node, after) : [node]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen?.has(next) === true) continue
      seen?.add(next)
      yield next
      if (next.children !== undefined) for (const child of [...next.children.values()].toReversed()) open.push(child)
    }
  }

  /** Removes empty nodes, from this one up. */
  prune(from: TaskNode): void {
    let node: TaskNode | undefined = from
    while (node?.parent !== undefined && node.isEmpty) {
      const { parent }: TaskNode = node
      parent.children?.delete(node.step)
      if (parent.children?.size === 0) parent.children = undefined
      node = parent
    }
  }

  /**
   * Yields the entries of a node and below it, each path once, none below another, and the entries
   * that are still voted on.
   */
  *entries(node: TaskNode = this.root): Generator<Entry> {
    for (const { entry, ballots } of this.within(node)) {
      if (entry !== undefined) yield entry
      else if (ballots !== undefined) yield* ballots
    }
  }
}

/** The nodes that come behind a path, without those below them, the last one first. */
function behind(from: TaskNode, path: Path): TaskNode[] {
  const open: TaskNode[] = []
  let node = from
  for (const step of stepsOf(path.slice(from.path.length))) {
    const child = node.children?.get(step)
    if (child === undefined) return [...open, node]
    const later: TaskNode[] = []
    let isLater = false
    for (const sibling of node.children?.values() ?? []) {
      if (isLater) later.push(sibling)
      isLater ||= sibling === child
    }
    for (const sibling of later.toReversed()) open.push(sibling)
    node = child
  }
  return [...open, ...[...(node.children?.values() ?? [])].toReversed()]
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

/**
 * Returns the part of a task that is done, 0 to 1. All children of a task count as equally large.
 */
export function progressOf(node: TaskNode): number {
  if (node.entry !== undefined) return 1
  if (node.frame === undefined) return node.progress
  if (node.frame.spawned === 0 || node.children === undefined) return 0
  let open = 0
  for (const child of node.children.values()) if (child.entry === undefined) open += 1 - progressOf(child)
  return Math.max(0, 1 - open / node.frame.spawned)
}
