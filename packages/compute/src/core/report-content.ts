import { entryBytes, type Entry, type Task } from './entry.ts'
import type { Milliseconds } from './ids.ts'
import type { Job } from './job.ts'
import type { Claim } from './messages.ts'
import type { Path } from './path.ts'
import type { ReplicaProgress } from './replica-progress.ts'
import { savedOf, type SavedTask } from './saved-state.ts'
import { progressOf, type TaskNode } from './task-node.ts'
import { triedOf, type Tried } from './tries.ts'
import { evidence } from './votes.ts'

/**
 * A report ends after this many bytes of values. The next report has the rest. A guess: 4 ms at 1
 * Gbit/s.
 */
const REPORT_BYTES = 512 * 1024

/** The content of one report. */
export interface ReportContent {
  readonly entries: readonly Entry[]
  readonly claims: readonly Claim[]
  readonly dropped: readonly Path[]
  readonly tried: readonly Tried[]
  readonly saved: readonly SavedTask[]
  /**
   * Nothing in the report is news to the replica. A report with only this member's work may be
   * news.
   */
  readonly isEmpty: boolean
  /** Index after the last path or news item that the report contains. */
  readonly end: number
}

/** Returns a part of all results that this member knew when the replica came. */
export function backlogFor(job: Job, { isNew }: ReplicaProgress, backlog: readonly Path[], now: Milliseconds): ReportContent {
  const entries = new Set<Entry>()
  let bytes = 0
  let end = 0
  for (; end < backlog.length && bytes < REPORT_BYTES; end++) {
    const path = backlog[end] as Path
    const result = job.tree.entryFor(path)
    const node = job.tree.find(path)
    for (const entry of result !== undefined ? [result] : node === undefined ? [] : evidence(job, node)) {
      if (!entries.has(entry)) bytes += entryBytes(entry)
      entries.add(entry)
    }
  }
  const claims = heldBy(job, isNew, now)
  return { entries: [...entries], claims, dropped: [], tried: triedIn(job, isNew), saved: [], isEmpty: false, end }
}

/** Returns the news that a replica has not acknowledged. */
export function newsFor(job: Job, { noted, isNew, saved: lacking }: ReplicaProgress, now: Milliseconds): ReportContent {
  const entries = new Set<Entry>()
  const claims = heldBy(job, isNew, now)
  const dropped: Path[] = []
  const tried = triedIn(job, isNew)
  const saved: SavedTask[] = []
  const { unfit, triedTasks } = job.failures
  let isEmpty = !isNew || (unfit === undefined && job.spec.noRoom === undefined && job.held.size + triedTasks.size === 0)
  let bytes = 0
  const { reports } = job
  let end = Math.max(noted, reports.newsStart)
  for (; end < reports.end; end++) {
    const { type, path } = reports.at(end)
    const node = job.tree.find(path)
    // A task above may have ended meanwhile. The member that computed its outcome may die before it
    // reports the outcome.
    const entry = type === 'entry' ? job.tree.entryFor(path) : undefined
    if (bytes >= REPORT_BYTES && (entry === undefined || !entries.has(entry))) break
    if (entry !== undefined) {
      if (!entries.has(entry)) bytes += entryBytes(entry)
      entries.add(entry)
    } else if (type === 'entry' && node?.ballots !== undefined) for (const each of evidence(job, node)) entries.add(each)
    else if (type === 'tried' && node?.tries !== undefined && !isNew) tried.push(triedOf(node))
    else if (type === 'saved') {
      lacking.add(path)
      continue
    } else if (type === 'claim' && node?.frame?.claimed === true && !isNew) claims.push(...claimOf(node, now))
    else if (type === 'dropped' && claimOf(node, now).length === 0 && job.tree.entryFor(path) === undefined) dropped.push(path)
    else if (type !== 'work') continue
    isEmpty = false
  }
  // States come last, so that outcomes and claims do not wait for them. The states that waited the
  // longest come first.
  for (const path of lacking) {
    if (bytes >= REPORT_BYTES) break
    const state = job.tree.find(path)?.saved
    if (state === undefined) {
      lacking.delete(path)
      continue
    }
    bytes += state.state.length
    saved.push({ path, ...savedOf(state) })
    isEmpty = false
  }
  return { entries: [...entries], claims, dropped, tried, saved, isEmpty, end }
}

/** Returns all claims of this member for a new replica, and none for others. */
function heldBy(job: Job, isNew: boolean, now: Milliseconds): Claim[] {
  return isNew ? [...job.held].flatMap((node) => claimOf(node, now)) : []
}

function triedIn(job: Job, isNew: boolean): Tried[] {
  return isNew ? [...job.failures.triedTasks].map(triedOf) : []
}

/** Returns no claim for a task in lookup, since another member may hold it. */
function claimOf(node: TaskNode | undefined, now: Milliseconds): Claim[] {
  if (node?.frame === undefined || node.frame.state === 'lookup') return []
  const { since, spawned, second } = node.frame
  return [{ ...(node.task as Task), age: now - since, progress: progressOf(node), leaf: spawned === 0, second }]
}
