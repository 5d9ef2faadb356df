import type { JobFailure, JobOverview } from '../events/job-messages.ts'
import { isOverJob, type JobRow, type JobsModel } from './jobs.ts'
import { counted, countText, shareText, shortId, timeText } from '../events/quantity.ts'

/** The heads of the columns. The first and the last hold texts, the others numbers. */
export const JOB_HEADS = ['job', 'done', 'tasks', 'failed', 'tasks/s', 'mean', 'running', 'waiting', ''] as const

/** A line of the table of jobs. A line of a function or member belongs to the job above it. */
export interface JobLine {
  readonly kind: 'job' | 'function' | 'member' | 'failure' | 'note'
  /** The state of the job. */
  readonly state: JobOverview['state']
  /** One text for each of {@link JOB_HEADS}. */
  readonly cells: readonly string[]
  /**
   * Of a function: its share of the time of its job so far, 0 to 1. How much remains is unknown.
   */
  readonly share?: number
}

/** Maximum number of listed members of a job. A guess: the busiest tell most. */
const MOST_MEMBERS = 8

/**
 * Returns the table of jobs: the tasks that run, their members and rates, and the reasons of jobs
 * that wait. `nameOf` describes a member. Texts of other members are not made safe.
 */
export function jobLines(model: JobsModel, nameOf: (member: string) => string, now: number): JobLine[] {
  const lines = model.rows.flatMap((row) => [jobLine(row, now), ...detailsOf(row, nameOf)])
  if (model.more === 0) return lines
  return [...lines, { kind: 'note', state: 'done', cells: cellsOf(`and ${model.more} more`, [], '') }]
}

function jobLine(row: JobRow, now: number): JobLine {
  const { name, state, covered, done, functions, workers, rate } = row
  const isOver = isOverJob(row)
  const numbers = [
    state === 'cancelled' ? '' : shareText(covered),
    countText(done),
    failedText(sum(functions, 'failed')),
    rateText(rate),
    meanText(sum(functions, 'ran'), sum(functions, 'finished')),
    isOver ? '' : countText(sum(workers, 'running')),
    isOver ? '' : countText(sum(workers, 'waiting')),
  ]
  return { kind: 'job', state, cells: cellsOf(name, numbers, noteOf(row, now)) }
}

/** Says why a job waits, where it runs, or how it ended. */
function noteOf(row: JobRow, now: number): string {
  const { state, reason, submitted, ended, members, workers, tasks, functions } = row
  if (isOverJob(row)) {
    const ran = sum(functions, 'ran')
    const parts = [
      state,
      ended === undefined ? '' : `after ${timeText(Math.max(0, ended - submitted))}`,
      members === 0 ? '' : `${members} ${members === 1 ? 'member' : 'members'}`,
      ran === 0 ? '' : `${timeText(ran)} of work`,
    ]
    return parts.filter(Boolean).join(', ')
  }
  const since = timeText(Math.max(0, now - submitted))
  if (state !== 'active') return `${state} for ${since}${reason === '' ? '' : `: ${reason}`}`
  const busy = workers.filter(({ running }) => running > 0).length
  const unfit = tasks.filter((task) => task.unfit !== undefined).length
  const [oldest] = tasks.filter((task) => task.unfit === undefined && task.path !== '')
  return [
    `active for ${since}`,
    reason,
    `${busy} of ${Math.max(members, workers.length)} members at work`,
    unfit === 0 ? '' : `does not run at ${unfit}`,
    oldest === undefined ? '' : `${oldest.fn} at ${shortId(oldest.holder)} for ${timeText(oldest.age)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

function detailsOf(row: JobRow, nameOf: (member: string) => string): JobLine[] {
  const { state, functions, workers, failure } = row
  const line = (kind: JobLine['kind'], cells: readonly string[]): JobLine => ({ kind, state, cells })
  const fails = failure === undefined ? [] : [line('failure', cellsOf(failure.fn ?? '', [], failureText(failure, nameOf)))]
  if (isOverJob(row)) return fails
  const all = sum(functions, 'ran')
  const byFunction = functions.map(({ fn, finished, failed, ran }): JobLine => {
    const numbers = ['', countText(finished), failedText(failed), rateText(row.rateOf('fn', fn)), meanText(ran, finished), '', '']
    return { ...line('function', cellsOf(fn, numbers, '')), share: all === 0 ? 0 : ran / all }
  })
  const byMember = workers.slice(0, MOST_MEMBERS).map(({ member, finished, running, waiting, ran }) => {
    const numbers = ['', countText(finished), '', rateText(row.rateOf('member', member)), meanText(ran, finished), countText(running)]
    return line('member', cellsOf(shortId(member), [...numbers, countText(waiting)], nameOf(member)))
  })
  const others = workers.length - byMember.length
  return [...fails, ...byFunction, ...byMember, ...(others > 0 ? [line('note', cellsOf(counted(others, 'more member'), [], ''))] : [])]
}

function failureText({ code, message, member, fn, input, cause }: JobFailure, nameOf: (member: string) => string): string {
  const place = member === '' ? '' : ` at ${shortId(member)} ${nameOf(member)}`.trimEnd()
  const call = fn === undefined ? '' : `; ${fn}(${input ?? '?'})`
  return `${code}: ${message}${cause === undefined ? '' : `; cause: ${cause}`}${call}${place}`
}

function cellsOf(name: string, numbers: readonly string[], note: string): readonly string[] {
  return [name, ...Array.from({ length: JOB_HEADS.length - 2 }, (_, at) => numbers[at] ?? ''), note]
}

function rateText(rate: number | undefined): string {
  return rate === undefined ? '' : countText(rate < 9.95 ? Math.round(rate * 10) / 10 : rate)
}

function meanText(ran: number, finished: number): string {
  return finished === 0 ? '' : timeText(ran / finished)
}

function failedText(failed: number): string {
  return failed === 0 ? '' : countText(failed)
}

function sum<Key extends string>(list: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return list.reduce((total, each) => total + each[key], 0)
}
