import type { Entry } from '../core/entry.ts'
import type { JobId } from '../core/io.ts'

/** A job of which this member has begun to run tasks. */
export interface Shift {
  readonly job: JobId
  readonly name: string
  readonly owner: string
}

/** One that is over, with the job. */
export interface EndedShift extends Shift {
  readonly state: 'done' | 'failed' | 'cancelled'
  /** Executions that were begun here. */
  readonly tasks: number
  /** Since the first of them, ms. */
  readonly time: number
}

interface Running {
  readonly shift: Shift
  readonly since: number
  tasks: number
}

/** For which jobs this member works: from its first task of a job until it hears of the job's end. */
export class Shifts {
  readonly #shiftOf: (job: JobId) => Shift | undefined
  readonly #onBegun: (shift: Shift) => void
  readonly #onEnded: (shift: EndedShift) => void
  readonly #running = new Map<JobId, Running>()

  constructor(options: {
    shiftOf: (job: JobId) => Shift | undefined
    onBegun: (shift: Shift) => void
    onEnded: (shift: EndedShift) => void
  }) {
    this.#shiftOf = options.shiftOf
    this.#onBegun = options.onBegun
    this.#onEnded = options.onEnded
  }

  /** A task of a job begins here. */
  ran(job: JobId, now: number): void {
    const known = this.#running.get(job)
    if (known !== undefined) {
      known.tasks++
      return
    }
    const shift = this.#shiftOf(job)
    if (shift === undefined) return
    this.#running.set(job, { shift, since: now, tasks: 1 })
    this.#onBegun(shift)
  }

  /** `entry`: of the job's root; undefined where it was cancelled, or its time is over. */
  ended(job: JobId, entry: Entry | undefined, now: number): void {
    const running = this.#running.get(job)
    if (running === undefined) return
    this.#running.delete(job)
    const { shift, since, tasks } = running
    const state = entry === undefined ? 'cancelled' : 'failure' in entry.outcome ? 'failed' : 'done'
    this.#onEnded({ ...shift, state, tasks, time: now - since })
  }
}
