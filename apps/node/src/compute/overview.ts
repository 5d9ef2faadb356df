import { JobFailedError, type Grid, type Job, type JobExplanation } from '@jel/compute'
import type { JobFailure, JobOverview, JobsEvent } from '../events/job-messages.ts'

/** Maximum number of jobs in an overview. A guess: more than a person reads. */
const MOST_JOBS = 50
/**
 * Maximum number of jobs about which one overview asks replicas. A guess: the first jobs in the
 * queue have all workers. If more jobs are unfinished, they take turns.
 */
const MOST_ASKED = 8
/** Members may send their last reports for this long after the end of a job, ms. A guess. */
const LAST_REPORTS = 3000
/**
 * Maximum number of held tasks of a job in an overview. A guess: the oldest say what it waits for.
 */
const MOST_TASKS = 16
/** Maximum number of characters of a text of a failure. A guess: a line or two. */
const MOST_TEXT = 300

/** The last answer about a job. */
interface Answer {
  readonly explanation: JobExplanation
  readonly failure: JobFailure | undefined
  /** The answer changes no more. */
  readonly isFinal: boolean
  readonly askedAt: number
}

const NOTHING: JobExplanation = { tasks: [], functions: [], members: [] }

/** The answers about the jobs of each grid. */
const answers = new WeakMap<Grid, Map<string, Answer>>()

/**
 * Describes the jobs of a pool with the work on them: unfinished jobs in the order of their
 * submission, then ended jobs, the latest first. Members report sums each second, so the number of
 * tasks does not matter.
 */
export async function overviewOf(grid: Grid): Promise<JobsEvent> {
  const known = answers.get(grid) ?? new Map<string, Answer>()
  answers.set(grid, known)
  const jobs = grid.jobs()
  const ordered = [...jobs.filter((job) => !isOver(job)), ...jobs.filter(isOver).reverse()]
  const listed = ordered.slice(0, MOST_JOBS)
  for (const id of known.keys()) if (!listed.some((job) => job.id === id)) known.delete(id)
  const askedAt = ({ id }: Job): number => known.get(id)?.askedAt ?? -Infinity
  const unfinished = listed.filter((job) => !isOver(job)).sort((a, b) => askedAt(a) - askedAt(b))
  const asked = new Set([...unfinished, ...listed.filter(isOver)].filter(({ id }) => known.get(id)?.isFinal !== true).slice(0, MOST_ASKED))
  const overviews = await Promise.all(listed.map(async (job) => await overviewOfJob(job, known, asked.has(job)).catch(() => undefined)))
  return { event: 'jobs', jobs: overviews.filter((each) => each !== undefined), more: jobs.length - listed.length }
}

async function overviewOfJob(job: Job, known: Map<string, Answer>, isAsked: boolean): Promise<JobOverview> {
  const { id, name, owner, submitted } = job
  const askedAt = performance.now()
  // Reads the progress before the work. If the progress says that the job has ended, the work then
  // includes the last task.
  const { rate: _, ...progress } = await progressOf(job)
  const explained = isAsked && job.state !== 'pending' ? await job.explain() : (known.get(id)?.explanation ?? NOTHING)
  const failure = known.get(id)?.failure ?? (await failureOf(job))
  const isFinal = isOver(job) && Date.now() > (job.ended?.getTime() ?? 0) + LAST_REPORTS
  if (isAsked) known.set(id, { explanation: explained, failure, isFinal, askedAt })
  const { functions, members, tasks } = explained
  // The page has no password, so it has no inputs.
  const workers = members.map(({ oldest: _oldest, ...work }) => work)
  return {
    job: id,
    name,
    owner,
    submitted: submitted.getTime(),
    ...(job.ended !== undefined && { ended: job.ended.getTime() }),
    ...progress,
    functions,
    workers,
    tasks: tasks.slice(0, MOST_TASKS),
    ...(failure && { failure }),
  }
}

/** Returns the present progress. Replicas go on reporting it for some seconds. */
async function progressOf(job: Job) {
  for await (const progress of job.progress(0)) return progress
  throw new Error('a job without a state')
}

async function failureOf(job: Job): Promise<JobFailure | undefined> {
  if (job.state !== 'failed') return undefined
  try {
    await job.result
  } catch (error) {
    if (!(error instanceof JobFailedError)) return undefined
    const { code, message, member, fn, input, remoteCause: cause } = error
    return {
      code,
      message: short(message),
      member,
      ...(fn !== undefined && { fn }),
      ...(input !== undefined && { input: short(input) }),
      ...(cause !== undefined && { cause: short(cause) }),
    }
  }
  return undefined
}

function short(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text
}

function isOver({ state }: Job): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}
