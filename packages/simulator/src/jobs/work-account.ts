import type { JobId, Path } from '@jel/compute/virtual'
import type { Milliseconds } from '@jel/protocol'

/** When somebody was there, and how much it could do then. */
export interface Attendance {
  readonly site: string | undefined
  readonly from: Milliseconds
  readonly to: Milliseconds
  /** Milliseconds of a processor of speed 1 that it has in one. */
  readonly power: number
  readonly worked: Milliseconds
}

/** How often each task of one job was run, and what that took. */
export class WorkAccount {
  /** Of processors of speed 1: what was done once, and what was done again. */
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

  /** Work done more than once, as a share of the work. */
  get twice(): number {
    return this.once === 0 ? 0 : this.again / this.once
  }
}

/** From the submission of a job to its result; the end is that of the run where there is none. */
export interface Busy {
  readonly job: JobId
  readonly from: Milliseconds
  readonly to: Milliseconds
}

/** Processor time that there was while any job ran, at speed 1. */
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
