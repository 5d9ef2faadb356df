import type { Milliseconds } from '@jel/protocol'
import type { VirtualGrid } from './grid.ts'

/** Measures of a grid that ran one job. */
export interface Measures {
  /**
   * The work without repetitions, as a share of the processor time of all members while they lived.
   */
  readonly efficiency: number
  /** Repeated work as a share of the work without repetitions. */
  readonly twice: number
  /** Time from the submission until the first member knew the root's outcome, ms. */
  readonly time: Milliseconds
  readonly messages: number
  /**
   * For each site, the share of its processor time in which it computed. Satin's authors call this
   * efficiency.
   */
  readonly sites: ReadonlyMap<string, number>
}

/** Measures the one job of a grid. */
export function measure(grid: VirtualGrid, job: string, submitted: Milliseconds): Measures {
  const doneAt = grid.doneAt.get(job) as Milliseconds
  let work = 0
  let more = 0
  for (const { count, cost } of grid.runs.values()) {
    work += cost
    more += (count - 1) * cost
  }
  let available = 0
  const sites = new Map<string, { worked: Milliseconds; available: Milliseconds }>()
  for (const { site, joinedAt, goneAt, workers, speed, worked } of grid.members) {
    const time = Math.max(0, Math.min(goneAt ?? doneAt, doneAt) - Math.max(joinedAt, submitted)) * workers * speed
    const sum = sites.get(site) ?? { worked: 0, available: 0 }
    sites.set(site, { worked: sum.worked + worked, available: sum.available + time })
    available += time
  }
  const shares = new Map([...sites].map(([site, sum]) => [site, sum.worked / sum.available]))
  return { efficiency: work / available, twice: more / work, time: doneAt - submitted, messages: grid.messages, sites: shares }
}
