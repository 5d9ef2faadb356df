import { entryBytes, type Entry } from './entry.ts'
import type { MemberId } from './ids.ts'
import { depthOf, ROOT, stepsOf, type Path } from './path.ts'
import type { KeptState } from './saved-state.ts'
import { TaskNode } from './task-node.ts'

/**
 * The tasks of one job, as far as this member knows them. Its entries are this member's part of the
 * job's result table. The table only grows. An entry replaces everything below it.
 */
export class TaskTree {
  readonly root = new TaskNode(ROOT, undefined)
  /**
   * Bytes of the entries, and of the outcomes that this member computed and that lack votes. The
   * quotas of other members bound their statements.
   */
  bytes = 0
  /** Bytes of the states that tasks saved. */
  savedBytes = 0
  /** The same bytes by the member that stated them. */
  readonly savedBy = new Map<MemberId, number>()
  /**
   * Tasks with outcomes or votes that are not on disk yet. Undefined: this member saves nothing.
   */
  unsaved: Set<Path> | undefined

  find(path: Path): TaskNode | undefined {
    let node: TaskNode | undefined = this.root
    for (const step of stepsOf(path)) {
      node = node.children?.get(step)
      if (node === undefined) return undefined
    }
    return node
  }

  /** Returns how many levels of a path this member does not know. */
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

  /** Returns the entry of this task or of a task above it. */
  entryFor(path: Path): Entry | undefined {
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
  put(node: TaskNode, entry: Entry): void {
    this.clearBelow(node)
    this.bytes += entryBytes(entry) - bytesOf(node)
    node.entry = entry
    this.unsaved?.add(node.path)
    node.ballots = undefined
    node.ballotBytes = 0
    node.denied = undefined
    node.lostHolders = undefined
    node.givenBack = 0
    this.save(node, undefined)
  }

  /** Keeps the state that a task saved, in place of an earlier one. */
  save(node: TaskNode, saved: KeptState | undefined): void {
    this.#countSaved(node.saved, -1)
    this.#countSaved(saved, 1)
    node.saved = saved
  }

  #countSaved(saved: KeptState | undefined, sign: 1 | -1): void {
    if (saved === undefined) return
    const { by, state } = saved
    this.savedBytes += sign * state.length
    const bytes = (this.savedBy.get(by) ?? 0) + sign * state.length
    if (bytes === 0) this.savedBy.delete(by)
    else this.savedBy.set(by, bytes)
  }

  /** Removes everything below a node. */
  clearBelow(node: TaskNode): void {
    for (const below of this.within(node)) {
      if (below === node) continue
      this.bytes -= bytesOf(below)
      this.#countSaved(below.saved, -1)
    }
    node.children = undefined
  }

  /** This member computed an outcome that lacks votes. `self`: this member. */
  countBallots(node: TaskNode, self: MemberId): void {
    this.bytes -= node.ballotBytes
    node.ballotBytes = 0
    for (const ballot of node.ballots ?? [])
      if (ballot.votes?.some(({ by }) => by === self) === true) node.ballotBytes += entryBytes(ballot)
    this.bytes += node.ballotBytes
  }

  /**
   * Yields a node and all nodes below it, the node first. `seen`: nodes to leave out; this adds
   * each yielded node. `after`: yields only nodes after this path. A node above this path may have
   * got an outcome since, so that the path is gone. Then that node comes first. Nodes keep the
   * order in which they came.
   */
  *within(node: TaskNode, seen?: Set<unknown>, after?: Path): Generator<TaskNode> {
    // No recursion: with generators nested 256 deep, each node would take 256 steps.
    const open = after?.startsWith(node.path) === true ? behind(node, after) : [node]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen?.has(next) === true) continue
      seen?.add(next)
      yield next
      if (next.children !== undefined) for (const child of [...next.children.values()].toReversed()) open.push(child)
    }
  }

  /** Removes empty nodes, from this node up. */
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
   * Yields the entries of a node and of the nodes below it. For a task without an elected outcome,
   * yields its ballots.
   */
  *entries(node: TaskNode = this.root): Generator<Entry> {
    for (const { entry, ballots } of this.within(node)) {
      if (entry !== undefined) yield entry
      else if (ballots !== undefined) yield* ballots
    }
  }
}

function bytesOf({ entry, ballotBytes }: TaskNode): number {
  return ballotBytes + (entry === undefined ? 0 : entryBytes(entry))
}

/** Returns the nodes after a path, without the nodes below them, the last node first. */
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
