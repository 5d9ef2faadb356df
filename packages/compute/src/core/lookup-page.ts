import { entryBytes, type Entry } from './entry.ts'
import { isHeld } from './frame.ts'
import type { MemberId } from './ids.ts'
import type { Job } from './job.ts'
import type { HeldBy, Message, NextPage } from './messages.ts'
import type { Path } from './path.ts'
import { savedOf, type SavedTask } from './saved-state.ts'
import type { TaskNode } from './task-node.ts'
import { triedOf, type Tried } from './tries.ts'
import { evidence } from './votes.ts'

/** An answer ends after this many bytes of values, as a report does. */
const PAGE_BYTES = 512 * 1024

type Page = Pick<Extract<Message, { type: 'found' }>, 'entries' | 'claims' | 'tried' | 'saved' | 'next'>

interface Asked {
  readonly from: MemberId
  readonly paths: readonly Path[]
  /** Whether the sender requests only the outcomes of these tasks. */
  readonly alone: boolean
}

/**
 * Returns a page of all that this replica knows of some tasks and of those below them. The page
 * starts at `begin`, and fits into a message.
 */
export function pageOf(self: MemberId, job: Job, { from, paths, alone }: Asked, begin: NextPage): Page {
  const entries: Entry[] = []
  const claims: HeldBy[] = []
  const tried: Tried[] = []
  const saved: SavedTask[] = []
  let bytes = 0
  // Sends each node once, even if the request names it often and at several levels. Otherwise a
  // short message could have an endless answer.
  const seen = new Set<TaskNode | Entry>()
  const add = (entry: Entry): void => {
    if (seen.has(entry)) return
    seen.add(entry)
    entries.push(entry)
    bytes += entryBytes(entry)
  }
  const page = (next?: NextPage): Page => {
    const optional = { ...(tried.length > 0 && { tried }), ...(saved.length > 0 && { saved }), ...(next && { next }) }
    return { entries, claims, ...optional }
  }
  for (let { at } = begin; at < paths.length; at++) {
    const path = paths[at] as Path
    const node = job.tree.find(path)
    const result = alone ? node?.entry : job.tree.entryFor(path)
    if (result !== undefined) {
      add(result)
      if (bytes >= PAGE_BYTES && at + 1 < paths.length) return page({ at: at + 1 })
    } else if (node !== undefined && !alone) {
      for (const each of job.tree.within(node, seen, at === begin.at ? begin.after : undefined)) {
        for (const entry of each.entry === undefined ? evidence(job, each) : [each.entry]) add(entry)
        for (const [holder, { second }] of each.claims ?? []) if (holder !== from && !second) claims.push({ path: each.path, holder })
        if (each.tries !== undefined) tried.push(triedOf(each))
        if (isHeld(each.frame)) claims.push({ path: each.path, holder: self })
        if (each.saved !== undefined && job.votesNeeded === 1) {
          saved.push({ path: each.path, ...savedOf(each.saved) })
          bytes += each.saved.state.length
        }
        // A page ends only at a node with an outcome, votes or a state. Such a node stays, or a
        // node above it gets an outcome. Any other node might be gone at the request for the next
        // page.
        if (bytes >= PAGE_BYTES && (each.entry ?? each.ballots ?? each.saved) !== undefined) return page({ at, after: each.path })
      }
    }
  }
  return page()
}
