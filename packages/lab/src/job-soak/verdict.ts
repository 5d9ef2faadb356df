/** The verdict on a soak of jobs. */
import { median } from '../base/quantiles.ts'
import type { Outcome } from './kinds.ts'

export interface JobRun {
  readonly name: string
  readonly kind: string
  readonly isRight: (outcome: Outcome) => boolean
  /** Unix ms at which a member confirmed the submission; undefined: no member confirmed it. */
  submitted?: number
  /** Unix ms at which a member reported the end, and the outcome. */
  ended?: number
  outcome?: Outcome
  /**
   * The answer of the member that came last; undefined: the job expired too early to ask for it.
   */
  last?: Outcome | 'nothing'
}

/** A sample of the live memory of a process that ran during the whole soak. */
export interface MemorySample {
  /** Minutes since the start. */
  readonly minute: number
  readonly bytes: number
}

export interface SoakOfJobs {
  readonly jobs: readonly JobRun[]
  /** Names of the processes that ended by themselves. */
  readonly lost: readonly string[]
  /** Largest use of a member's disk, bytes, and its limit. */
  readonly disk: number
  readonly diskLimit: number
  readonly memory: readonly (readonly MemorySample[])[]
  readonly minutes: number
}

/**
 * Allowance beyond a member's disk limit, bytes: for the file that it is writing, and for files
 * other than blobs. A guess.
 */
const DISK_SLACK = 2_000_000
/**
 * Shortest soak with a verdict on memory, minutes. In shorter soaks compilers, pools and buffers
 * still grow.
 */
const LONG = 20
/**
 * Allowed growth from the second to the last quarter of a long soak, besides the memory of the jobs
 * that came meanwhile. The size of a heap varies, and large values pass through it. Memory must
 * exceed both bounds to fail. Guesses.
 */
const GROWTH = { times: 1.15, bytes: 10_000_000 }
/** Live memory of a job that the pool keeps, bytes. Measured: see docs/operations.md. */
const KEPT = 16_000

/** Returns all problems. The soak has passed if there are none. */
export function problemsOf({ jobs, lost, disk, diskLimit, memory, minutes }: SoakOfJobs): string[] {
  const wrong = jobs.flatMap((job) => problemOf(job) ?? [])
  const ended = lost.map((who) => `a process ended by itself: ${who}`)
  const full =
    disk > diskLimit + DISK_SLACK ? [`a member had ${mega(disk)} MB on its disk, which was limited to ${mega(diskLimit)} MB`] : []
  const grown = minutes < LONG ? [] : memory.flatMap((samples) => growthOf(samples, minutes, jobs.length / 2) ?? [])
  return [...wrong, ...ended, ...full, ...grown]
}

function problemOf({ name, submitted, outcome, isRight, last }: JobRun): string | undefined {
  if (submitted === undefined) return `${name} could not be submitted`
  if (outcome === undefined) return `${name} hangs; the member that came last: ${last === undefined ? 'it is kept no longer' : shown(last)}`
  if (!isRight(outcome)) return `${name} ended otherwise than it should: ${shown(outcome)}`
  if (last === undefined) return undefined
  if (last === 'nothing') return `${name} is lost: the member that came last gets no result of it`
  return isRight(last) ? undefined : `${name} has another result at the member that came last: ${shown(last)}`
}

/** `jobs`: the number of jobs that came between the two quarters. */
function growthOf(samples: readonly MemorySample[], minutes: number, jobs: number): string | undefined {
  const medianOf = (from: number, to: number): number =>
    median(samples.filter(({ minute }) => minute >= minutes * from && minute < minutes * to).map(({ bytes }) => bytes))
  const [early, late] = [medianOf(0.25, 0.5), medianOf(0.75, 1)]
  if (Number.isNaN(early + late)) return 'live memory of a member that stayed was not measured'
  if (!(late > early * GROWTH.times && late > early + GROWTH.bytes + jobs * KEPT)) return undefined
  return `live memory of a member that stayed grew from ${mega(early)} to ${mega(late)} MB`
}

function shown(outcome: Outcome | 'nothing'): string {
  return JSON.stringify(outcome).slice(0, 200)
}

export function mega(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
