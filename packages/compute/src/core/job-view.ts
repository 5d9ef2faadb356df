import type { Entry } from './entry.ts'
import type { MemberId, Milliseconds } from './ids.ts'
import type { Job } from './job.ts'
import type { Totals } from './messages.ts'
import { progressOf } from './task-node.ts'

/** A job as this member sees it. */
export interface JobView {
  readonly ended: 'done' | 'cancelled' | undefined
  /** When it ended here, by the clock of the scheduler. Undefined: it has not ended. */
  readonly endedAt?: Milliseconds
  /** Whether tasks of it run or wait here, or this member waits for some, or follows the job. */
  readonly hasPart: boolean
  /** The outcome of the root with its shared values; undefined: none yet. */
  readonly entry: Entry | undefined
  /** 0 to 1: this member's figure, or the figure of a replica. */
  readonly progress: number
  /** The work of all members, as far as this member knows. */
  readonly totals: Totals
}

export function viewOf(job: Job, self: MemberId): JobView {
  const { entry, tree, ended } = job
  const claimed = Math.max(tree.root.progress, ...[...(tree.root.claims?.values() ?? [])].map(({ progress }) => progress))
  const progress = entry !== undefined ? 1 : Math.max(progressOf(tree.root), claimed, job.progress)
  const { hasPart } = job
  return { ended, ...(ended !== undefined && { endedAt: job.endedAt }), hasPart, entry, progress, totals: job.work.totalsAt(self) }
}
