import type { Entry } from './entry.ts'
import type { Job } from './job.ts'
import type { TaskNode } from './task-node.ts'
import { evidence } from './votes.ts'

/** Returns all outcomes of a job that this member knows, and votes for outcomes. */
export function statedEntries(job: Job): readonly Entry[] {
  return entriesOf(job, [...job.tree.within(job.tree.root)])
}

/**
 * Returns the outcomes and votes that are new since the last call; undefined: nothing is new, or
 * this member saves nothing.
 */
export function takeUnsaved(job: Job): readonly Entry[] | undefined {
  const { unsaved } = job.tree
  if (unsaved === undefined || unsaved.size === 0) return undefined
  const nodes = [...unsaved].flatMap((path) => job.tree.find(path) ?? [])
  unsaved.clear()
  return entriesOf(job, nodes)
}

/**
 * Returns the entry of each task, or else the votes on it and the entries that these depend on.
 * Returns each entry once, since several tasks may state the same entry.
 */
function entriesOf(job: Job, nodes: readonly TaskNode[]): readonly Entry[] {
  return [...new Set(nodes.flatMap((node) => (node.entry === undefined ? evidence(job, node) : [node.entry])))]
}
