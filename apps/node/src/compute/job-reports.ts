/** Reports of a job while it goes on, and of its end. */
import { JobFailedError, type CommandResult, type Job, type JobProgress, type MapFailure, type MapOutcome, type Sweep } from '@jel/compute'
import { raceSignal } from 'race-signal'
import type { JobEvent } from '../events/job-messages.ts'
import { codeOf, messageOf } from '../base/usage-error.ts'
import { runningText } from './job-text.ts'
import { asJson } from './result-json.ts'

/**
 * A job must wait for this time, ms, before the reason is reported. Each later change of the reason
 * is reported, too. A guess: a job in an idle pool begins within a second.
 */
const WAITS = 5000

/**
 * If no task of a begun job ends for this time, ms, the task that has run for longest is reported.
 * A guess. The wait for the next report is twice as long. It is also at least twice the longest
 * time between two ends of tasks, so that a job of long tasks does not look stuck.
 */
const QUIET = 15_000

export type Report = (event: JobEvent) => void

interface FollowOptions {
  /** The end is reported after this. */
  readonly before?: Promise<void> | undefined
  /** Makes the reported result. Default: that of the job. */
  readonly result?: (() => Promise<unknown>) | undefined
}

/** Reports the progress of a job, then how it ended. */
export async function follow(job: Job, report: Report, signal: AbortSignal, { before, result }: FollowOptions = {}): Promise<void> {
  const waits = new Waits(job, report)
  for await (const progress of job.progress()) {
    signal.throwIfAborted()
    report({ event: 'progress', job: job.id, ...progress })
    await waits.take(progress)
  }
  const outcome = await raceSignal(outcomeOf(job, result), signal)
  await before
  report(outcome)
}

/** Reports why a job waits, until it begins. */
export async function reportWaits(job: Job, report: Report, signal: AbortSignal): Promise<void> {
  const waits = new Waits(job, report)
  for await (const progress of job.progress()) {
    if (signal.aborted || progress.state !== 'pending') return
    await waits.take(progress)
  }
}

/** Reports why a job waits, if that takes long. */
class Waits {
  readonly #job: Job
  readonly #report: Report
  #since = performance.now()
  #asked = -Infinity
  #reported = ''
  #finished = 0
  #finishedAt = performance.now()
  #quiet = QUIET

  constructor(job: Job, report: Report) {
    this.#job = job
    this.#report = report
  }

  async take({ state, reason, finished }: JobProgress): Promise<void> {
    const now = performance.now()
    await this.#takeQuiet(state === 'active' && reason === '' && finished === this.#finished, now)
    this.#finished = finished
    const waits = state === 'pending' || (state === 'active' && reason !== '')
    if (!waits) {
      // A later wait is reported anew.
      this.#since = now
      this.#reported = ''
      return
    }
    if (now - this.#since < WAITS || (this.#reported.startsWith(reason) && now - this.#asked < WAITS)) return
    this.#asked = now
    const whole = `${reason}${state === 'pending' ? await this.#refusal() : ''}`
    if (whole === this.#reported) return
    this.#reported = whole
    this.#report({ event: 'waits', job: this.#job.id, reason: whole })
  }

  /** Reports the task that has run for longest, if no task ends any more. */
  async #takeQuiet(isQuiet: boolean, now: number): Promise<void> {
    const quiet = now - this.#finishedAt
    if (!isQuiet) {
      this.#quiet = Math.max(this.#quiet, 2 * quiet)
      this.#finishedAt = now
      return
    }
    if (quiet < this.#quiet) return
    this.#quiet = 2 * quiet
    const { members } = await this.#job.explain()
    const running = members.flatMap(({ member, oldest = [] }) => oldest.map((task) => ({ ...task, member })))
    const [oldest] = running.toSorted((a, b) => b.age - a.age)
    if (oldest !== undefined) this.#report({ event: 'waits', job: this.#job.id, reason: runningText(oldest) })
  }

  /** Returns the reason why members that accept the job can't run it. Only replicas know. */
  async #refusal(): Promise<string> {
    const refused = (await this.#job.waits()).filter(({ unfit }) => unfit !== undefined)
    const [first] = refused
    return first === undefined ? '' : `; it does not run at ${refused.length} of them: ${first.unfit}`
  }
}

/** Reports what the tasks of a job print. */
export async function reportOutput(job: Job, isFollowed: boolean, report: Report, signal: AbortSignal): Promise<void> {
  for await (const output of job.output({ follow: isFollowed, signal })) {
    signal.throwIfAborted()
    report({ event: 'output', job: job.id, ...output })
  }
}

/** Reports each outcome of a sweep. A failure of the sweep is reported elsewhere. */
export async function reportEach(sweep: Sweep, hasFiles: boolean, report: Report, signal: AbortSignal): Promise<void> {
  try {
    for await (const { index, ...outcome } of sweep.asCompleted()) {
      if (signal.aborted) return
      report({ event: 'outcome', job: sweep.id, index, ...endOf(outcome, hasFiles) })
    }
  } catch {
    // The sweep failed, or was cancelled. `outcomeOf` says so.
  }
}

function endOf(outcome: MapOutcome, hasFiles: boolean): { readonly value: unknown } | { readonly failure: MapFailure } {
  if (outcome.status === 'rejected') return { failure: outcome.reason }
  try {
    return { value: asJson(hasFiles ? (outcome.value as CommandResult).value : outcome.value) }
  } catch (error) {
    return { failure: { code: codeOf(error), message: messageOf(error), member: '' } }
  }
}

/** Waits for a job's end, and returns its outcome. */
export async function outcomeOf(job: Job, result?: () => Promise<unknown>): Promise<JobEvent> {
  try {
    return { event: 'done', job: job.id, result: asJson(await (result?.() ?? job.result)) }
  } catch (error) {
    if (codeOf(error) === 'JOB_CANCELLED') return { event: 'cancelled', job: job.id }
    const failed = { event: 'failed', job: job.id, code: codeOf(error), message: messageOf(error) } as const
    if (!(error instanceof JobFailedError)) return failed
    const { member, tries, remoteStack: stack, task, fn, input, remoteCause: cause } = error
    const known = Object.entries({ stack, task, fn, input, cause }).filter(([, value]) => value !== undefined)
    return { ...failed, member, tries, ...Object.fromEntries(known) }
  }
}
