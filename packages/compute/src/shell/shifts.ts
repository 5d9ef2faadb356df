import type { Entry } from '../core/entry.ts'
import type { JobId } from '../core/io.ts'

/** A job of which this member has begun to run tasks. */
export interface Shift {
  /** The id of the job. */
  readonly job: JobId
  /** The name of the job. */
  readonly name: string
  /** The id of its owner. */
  readonly owner: string
}

/** A shift that ended together with its job. */
export interface EndedShift extends Shift {
  /** The end of the job. `cancelled` includes a job that expired. */
  readonly state: 'done' | 'failed' | 'cancelled'
  /** Number of executions that began here. */
  readonly tasks: number
  /** Time since the first execution, ms. */
  readonly time: number
}

interface Running {
  readonly shift: Shift
  readonly since: number
  tasks: number
}

/**
 * The jobs for which this member works. A shift lasts from the first task of a job here until this
 * member learns of the job's end.
 */
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

  /** Records that a task of a job begins here. */
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

  /**
   * @param entry the entry of the job's root; undefined if the job was cancelled, or has expired
   */
  ended(job: JobId, entry: Entry | undefined, now: number): void {
    const running = this.#running.get(job)
    if (running === undefined) return
    this.#running.delete(job)
    const { shift, since, tasks } = running
    const state = entry === undefined ? 'cancelled' : 'failure' in entry.outcome ? 'failed' : 'done'
    this.#onEnded({ ...shift, state, tasks, time: now - since })
  }
}
