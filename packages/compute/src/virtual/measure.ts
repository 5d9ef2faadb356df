import type { Milliseconds } from '../core/io.ts'
import type { VirtualGrid } from './grid.ts'

export interface Measures {
  /** Share of the processor time of all members, while they lived, that went into work that counts. */
  readonly efficiency: number
  /** Work done more than once, as a share of the work. */
  readonly twice: number
  /** From submission to the first member that knew the root. */
  readonly time: Milliseconds
  readonly messages: number
}

/** What came of the one job of a grid. */
export function measure(grid: VirtualGrid, job: string, submitted: Milliseconds): Measures {
  const doneAt = grid.doneAt.get(job) as Milliseconds
  let work = 0
  let more = 0
  for (const { count, cost } of grid.runs.values()) {
    work += cost
    more += (count - 1) * cost
  }
  let available = 0
  for (const { joinedAt, goneAt, workers, speed } of grid.members) {
    available += Math.max(0, Math.min(goneAt ?? doneAt, doneAt) - Math.max(joinedAt, submitted)) * workers.length * speed
  }
  return { efficiency: work / available, twice: more / work, time: doneAt - submitted, messages: grid.messages }
}
