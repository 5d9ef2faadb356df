import { setTimeout as sleep } from 'node:timers/promises'
import {
  compute,
  JobFailedError,
  type BlobReference,
  type CommandResult,
  type Grid,
  type Job,
  type JobProgress,
  type Sweep,
} from '@jel/compute'
import type { Pool } from '@jel/jel'
import { raceSignal } from 'race-signal'
import type { JobCommand, JobEvent } from '../agent/job-messages.ts'
import { codeOf, CommandError, messageOf } from '../base/usage-error.ts'
import { collect } from './collected.ts'
import { overviewOf } from './overview.ts'
import { ownerOf } from './owner.ts'

/**
 * `ASK` is the time that a replica has to report a job's progress, ms. `ASKED` is the number of
 * attempts: a replica does not answer a member that it does not know yet.
 */
const [ASK, ASKED] = [700, 3]
/**
 * The time after which a followed job's progress is reported even if no other member has taken the
 * job, ms. A guess: there may be no other member.
 */
const KEPT_SOON = 2000
/**
 * The reason why a job waits is reported if no member has begun it for this long, and whenever the
 * reason changes, ms. A guess: a job in an idle pool begins within a second.
 */
const WAITS = 5000

/**
 * The limit of a result as JSON: the number of its parts plus the characters of its texts. A guess:
 * four times the bytes of the largest value.
 */
const MAX_WRITTEN = 4 * 1024 * 1024

type Report = (event: JobEvent) => void

/** Opens the grid of a member that computes nothing itself. */
export async function openGrid(pool: Pool): Promise<Grid> {
  return await compute(pool, { owner: await ownerOf(undefined) })
}

/**
 * Carries out a command about jobs, at a running node or at a member that lives only as long as the
 * command.
 */
export async function runJobCommand(grid: Grid, command: JobCommand, report: Report, signal: AbortSignal): Promise<void> {
  switch (command.command) {
    case 'jobs':
      if (command.work === true) {
        report(await overviewOf(grid))
        return
      }
      for (const event of await Promise.all(grid.jobs().map(stateOf))) report(event)
      return
    case 'job':
      await oneJob(found(grid, command.job, report), command, report, signal)
      return
    case 'submit':
    case 'map':
      await submitted(grid, command, report, signal)
  }
}

/**
 * Finds a job by its id or name. If the name finds another owner's job, reports that owner. Other
 * members may withhold the record of the user's own job, and offer another result under the same
 * name.
 */
function found(grid: Grid, idOrName: string, report: Report): Job {
  const job = grid.job(idOrName)
  const { id, owner } = job
  if (id !== idOrName && owner !== grid.owner) report({ event: 'not-own', job: id, owner })
  return job
}

async function oneJob(job: Job, command: JobCommand & { readonly command: 'job' }, report: Report, signal: AbortSignal): Promise<void> {
  switch (command.do) {
    case 'cancel':
      await job.cancel()
      // A job that is over can't be cancelled. Its outcome stays.
      if (!isOver(await stateOf(job))) {
        report({ event: 'cancelled', job: job.id })
        return
      }
      break
    case 'forget':
      await job.forget()
      report({ event: 'forgotten', job: job.id })
      return
    case 'suspend':
      await job.suspend()
      break
    case 'resume':
      await job.resume()
      break
    case undefined:
  }
  if (command.logs === true) await logs(job, command.until === 'ended', report, signal)
  else if (command.until === 'ended') await follow(job, report, signal)
  else if (command.until === 'result') {
    const ended = new AbortController()
    void reportWaits(job, report, AbortSignal.any([signal, ended.signal])).catch(() => {})
    report(await raceSignal(outcomeOf(job), signal).finally(() => ended.abort()))
  } else report({ ...(await stateOf(job)), ...(command.waits === true && { waits: await job.waits() }) })
}

async function submitted(
  grid: Grid,
  command: JobCommand & { readonly command: 'submit' | 'map' },
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const warn = ({ detail: { code, message } }: CustomEvent<{ readonly code: string; readonly message: string }>): void => {
    if (code === 'PROGRAM_NEEDS_TRUST') report({ event: 'needs-trust', message })
  }
  grid.addEventListener('warning', warn)
  try {
    const swept = command.command === 'map' ? await sweep(grid, command) : undefined
    const job = swept ?? (await single(grid, command as JobCommand & { command: 'submit' }))
    const reportKept = (): void => report({ event: 'submitted', job: job.id, name: job.name, replicas: job.replicas })
    // The job is reported once another member has it: then the job survives this member. A member
    // that works need not wait, because it runs the job itself.
    if (command.until !== 'ended') {
      if (!grid.works) await job.kept()
      reportKept()
      return
    }
    let isOver = false
    const reportAlone = (error: unknown): void => {
      if (!isOver) report({ event: 'not-kept', message: messageOf(error) })
    }
    const kept = grid.works ? undefined : job.kept().catch((error: unknown) => (reportAlone(error), job.kept(Infinity)))
    const told = Promise.resolve(kept).then(
      () => isOver || reportKept(),
      () => {},
    )
    await Promise.race([told, sleep(KEPT_SOON, undefined, { signal }).catch(() => {})])
    const collectTo = command.command === 'map' ? command.collectTo : undefined
    const result =
      collectTo === undefined
        ? undefined
        : async (): Promise<unknown> => {
            const collected = await collect(job, { folder: collectTo, keepGoing: (command as { keepGoing?: boolean }).keepGoing === true })
            report({ event: 'collected', job: job.id, folder: collectTo, files: collected.files })
            return collected.result
          }
    const outcomes =
      command.command === 'map' && command.each === true && swept !== undefined
        ? reportEach(swept, collectTo !== undefined, report, signal)
        : undefined
    await follow(job, report, signal, { before: outcomes, result }).finally(() => (isOver = true))
  } finally {
    grid.removeEventListener('warning', warn)
  }
}

async function single(
  grid: Grid,
  { file, function: fn, input, blobs = {}, name, keep, votes }: JobCommand & { command: 'submit' },
): Promise<Job> {
  const references: Record<string, BlobReference> = {}
  for (const [field, blob] of Object.entries(blobs)) references[field] = await grid.blob(blob)
  const whole = Object.keys(blobs).length > 0 ? { ...(input as object | undefined), ...references } : input
  return await grid.submit(file, fn, whole, {
    ...(name !== undefined && { name }),
    ...(keep !== undefined && { keep }),
    ...(votes !== undefined && { votes }),
  })
}

async function sweep(
  grid: Grid,
  {
    file,
    function: fn,
    shell,
    files,
    collect: patterns,
    collectTo,
    until,
    inputs,
    keepGoing,
    retries,
    name,
    keep,
  }: JobCommand & { command: 'map' },
): Promise<Sweep> {
  const options = {
    ...(keepGoing !== undefined && { keepGoing }),
    ...(retries !== undefined && { retries }),
    ...(name !== undefined && { name }),
    ...(keep !== undefined && { keep }),
  }
  if ((collectTo !== undefined) !== (patterns !== undefined && until === 'ended'))
    throw new CommandError('INVALID_COMMAND', 'map: collectTo needs collect, and until: ended')
  if (shell !== undefined)
    return await grid.mapCommand(shell, inputs, {
      ...options,
      ...(files !== undefined && { files }),
      ...(patterns !== undefined && { collect: patterns }),
    })
  if (file === undefined || fn === undefined) throw new CommandError('INVALID_COMMAND', 'map: give file and function, or shell')
  return await grid.map(file, fn, inputs, options)
}

/** Reports each outcome of a sweep. A failure of the sweep is reported elsewhere. */
async function reportEach(sweep: Sweep, hasFiles: boolean, report: Report, signal: AbortSignal): Promise<void> {
  try {
    for await (const { index, ...outcome } of sweep.asCompleted()) {
      if (signal.aborted) return
      const end =
        outcome.status === 'fulfilled'
          ? { value: asJson(hasFiles ? (outcome.value as CommandResult).value : outcome.value) }
          : { failure: outcome.reason }
      report({ event: 'outcome', job: sweep.id, index, ...end })
    }
  } catch {
    // The sweep failed, or was cancelled. `outcomeOf` says so.
  }
}

interface FollowOptions {
  /** The end is reported after this. */
  readonly before?: Promise<void> | undefined
  /** Makes the reported result. Default: that of the job. */
  readonly result?: (() => Promise<unknown>) | undefined
}

/** Reports the progress of a job, then how it ended. */
async function follow(job: Job, report: Report, signal: AbortSignal, { before, result }: FollowOptions = {}): Promise<void> {
  const waits = new Waits(job.id, report)
  for await (const progress of job.progress()) {
    signal.throwIfAborted()
    report({ event: 'progress', job: job.id, ...progress })
    waits.take(progress)
  }
  const outcome = await raceSignal(outcomeOf(job, result), signal)
  await before
  report(outcome)
}

/** Reports why a job waits, until it begins. */
async function reportWaits(job: Job, report: Report, signal: AbortSignal): Promise<void> {
  const waits = new Waits(job.id, report)
  for await (const progress of job.progress()) {
    if (signal.aborted || progress.state !== 'pending') return
    waits.take(progress)
  }
}

/** Reports why a job waits, if that takes long. */
class Waits {
  readonly #job: string
  readonly #report: Report
  #since = performance.now()
  #reason = ''

  constructor(job: string, report: Report) {
    this.#job = job
    this.#report = report
  }

  take({ state, reason }: JobProgress): void {
    const now = performance.now()
    if (state !== 'pending') this.#since = now
    if (now - this.#since < WAITS || reason === this.#reason) return
    this.#reason = reason
    this.#report({ event: 'waits', job: this.#job, reason })
  }
}

async function logs(job: Job, isFollowed: boolean, report: Report, signal: AbortSignal): Promise<void> {
  for await (const output of job.output({ follow: isFollowed, signal })) {
    signal.throwIfAborted()
    report({ event: 'output', job: job.id, ...output })
  }
}

async function stateOf(job: Job): Promise<JobEvent & { event: 'job' }> {
  const { id, name, owner, submitted: at, expires, replicas } = job
  let asked = 0
  for await (const progress of job.progress(ASK)) {
    if (progress.state === 'pending' && ++asked < ASKED) continue
    return { event: 'job', job: id, name, owner, submitted: at.getTime(), expires: expires.getTime(), replicas, ...progress }
  }
  throw new Error('a job without a state')
}

function isOver({ state }: { readonly state: string }): boolean {
  return state === 'done' || state === 'failed'
}

/** Waits for a job's end, and returns its outcome. */
async function outcomeOf(job: Job, result?: () => Promise<unknown>): Promise<JobEvent> {
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

/**
 * Converts a value to JSON: large integers and bytes become text, sets and maps become lists. JSON
 * repeats a part as often as it is referenced. So a value of some hundred bytes could take up all
 * memory.
 */
function asJson(value: unknown): unknown {
  let left = MAX_WRITTEN
  const take = (_: string, each: unknown): unknown => {
    left -= typeof each === 'string' ? 1 + each.length : 1
    if (left < 0) throw new RangeError('the result is too large as JSON: it names its own parts again and again')
    return jsonOf(each)
  }
  return JSON.parse(JSON.stringify(value, take) ?? 'null')
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)]
  if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<unknown>)]
  return value
}
