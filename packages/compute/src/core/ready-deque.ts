import type { TaskNode } from './task-node.ts'

/**
 * The tasks of a job that wait for a worker at this member. The member's own workers take the
 * newest task, so few frames are open. Thieves get the oldest task. In a tree the oldest task is
 * about half of the work (Cilk; Satin).
 */
export class ReadyDeque {
  #nodes: TaskNode[] = []
  #head = 0
  #size = 0

  /** Number of tasks that wait. */
  get size(): number {
    return this.#size
  }

  push(node: TaskNode): void {
    this.#nodes.push(node)
    this.#size++
  }

  /** Takes the newest task, for workers of this member. `may`: a test that the task must pass. */
  newest(may?: (node: TaskNode) => boolean): TaskNode | undefined {
    if (may !== undefined) return this.#only(this.#nodes.findLastIndex((node, index) => index >= this.#head && waits(node) && may(node)))
    while (this.#nodes.length > this.#head) {
      const node = this.#nodes.pop() as TaskNode
      if (waits(node)) return this.#taken(node)
    }
    return undefined
  }

  /** Whether some task passes the test. */
  some(may: (node: TaskNode) => boolean): boolean {
    return this.#nodes.some((node, index) => index >= this.#head && waits(node) && may(node))
  }

  /** Takes the oldest task, for thieves. */
  oldest(may?: (node: TaskNode) => boolean): TaskNode | undefined {
    if (may !== undefined) return this.#only(this.#nodes.findIndex((node, index) => index >= this.#head && waits(node) && may(node)))
    while (this.#nodes.length > this.#head) {
      const node = this.#nodes[this.#head++] as TaskNode
      if (this.#head > 64 && this.#head * 2 > this.#nodes.length) {
        this.#nodes = this.#nodes.slice(this.#head)
        this.#head = 0
      }
      if (waits(node)) return this.#taken(node)
    }
    return undefined
  }

  clear(): void {
    this.#nodes = []
    this.#head = 0
    this.#size = 0
  }

  /** This member dropped a node. Its place stays until a search passes it. */
  dropped(): void {
    this.#size--
  }

  #only(index: number): TaskNode | undefined {
    const [node] = index < 0 ? [] : this.#nodes.splice(index, 1)
    return node === undefined ? undefined : this.#taken(node)
  }

  #taken(node: TaskNode): TaskNode {
    this.#size--
    return node
  }
}

function waits(node: TaskNode): boolean {
  return node.frame?.state === 'ready'
}
