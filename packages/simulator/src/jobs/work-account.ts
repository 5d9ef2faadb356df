import type { JobId, Path } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'

/** The presence of a member and its processor power. */
export interface Attendance {
  readonly site: string | undefined
  readonly from: Milliseconds
  readonly to: Milliseconds
  /** The work that it can do in one ms, as ms of a processor of speed 1. */
  readonly power: number
  readonly worked: Milliseconds
}

/** Counts the executions of each task of one job and their processor time. */
export class WorkAccount {
  /** Processor time at speed 1: `once` of first executions, `again` of repeated executions. */
  once: Milliseconds = 0
  again: Milliseconds = 0
  executions = 0
  readonly #runs = new Set<Path>()

  get tasks(): number {
    return this.#runs.size
  }

  ran(path: Path, cost: Milliseconds): void {
    this.executions++
    if (this.#runs.has(path)) {
      this.again += cost
      return
    }
    this.#runs.add(path)
    this.once += cost
  }

  /** The repeated work as a share of the work without repetitions. */
  get twice(): number {
    return this.once === 0 ? 0 : this.again / this.once
  }
}

/** The time from the submission of a job to its result. Without a result it ends with the run. */
export interface Busy {
  readonly job: JobId
  readonly from: Milliseconds
  readonly to: Milliseconds
}

/** Returns the processor time that was available while any job ran, at speed 1. */
export function availableTime(attendances: readonly Attendance[], busy: readonly Busy[]): Milliseconds {
  const spans = union(busy)
  let time = 0
  for (const { from, to, power } of attendances) {
    for (const [start, end] of spans) time += Math.max(0, Math.min(to, end) - Math.max(from, start)) * power
  }
  return time
}

function union(busy: readonly Busy[]): (readonly [Milliseconds, Milliseconds])[] {
  const spans: [Milliseconds, Milliseconds][] = []
  for (const { from, to } of busy.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1)
    if (last === undefined || from > last[1]) spans.push([from, to])
    else last[1] = Math.max(last[1], to)
  }
  return spans
}
