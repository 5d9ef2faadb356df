/**
 * The submitter of each contender. It is a separate process, so that the experiment can kill it.
 */

/** A job of independent tasks. */
export interface Job {
  readonly tasks: number
  /** Duration of each task, ms. */
  readonly ms: number
  /** Each task keeps a processor busy for that time; otherwise it waits. */
  readonly busy: boolean
  /** File to which each execution appends a line when it begins and when it ends. */
  readonly log?: string
  /**
   * When this file exists, one task ends its own worker. This is for contenders whose workers the
   * experiment can't kill from outside.
   */
  readonly dies?: string
}

export interface Begun {
  /** The id of the job, if the contender gives it one. */
  readonly id?: string
  /** The log of the job's executions. */
  readonly log?: string | undefined
}

export interface Client {
  /** Submits a job. */
  begin(job: Job): Begun | Promise<Begun>
  /**
   * Resolves when the client has the results of all tasks, with the time since the call of `begin`,
   * ms. Rejects if a result is wrong or a task failed.
   */
  ended(): Promise<number>
  /**
   * Runs this number of empty tasks one after the other: each begins when the client has the value
   * of the previous one. Returns the total time, ms.
   */
  inTurn(tasks: number): Promise<number>
  /** Like `inTurn`, with a separate job for each task. */
  jobByJob(tasks: number): Promise<number>
}

/** A client whose process also runs the workers, in threads or child processes. */
export interface ThreadsClient extends Client {
  enter(place: { readonly workers: number; readonly cache: string }): void
}

/** A submitted job. */
export interface Submitted extends Begun {
  /** The sum of the numbers of the job's tasks. */
  readonly result: Promise<unknown>
}

/**
 * Makes a client of a contender's own functions. `submit`: submits a job. `one`: runs one task and
 * returns its number.
 */
export function clientOf(submit: (job: Job) => Submitted | Promise<Submitted>, one: (number: number) => Promise<unknown>): Client {
  let running: Promise<number>
  const inTurn = (tasks: number): Promise<number> =>
    timed(async () => {
      let sum = 0
      for (let number = 0; number < tasks; number++) sum += (await one(number)) as number
      check(sum, tasks)
    })
  return {
    async begin(job) {
      const since = performance.now()
      const { result, ...begun } = await submit(job)
      running = result.then((sum) => {
        check(sum, job.tasks)
        return performance.now() - since
      })
      running.catch(() => {})
      return begun
    },
    ended: () => running,
    inTurn,
    jobByJob: inTurn,
  }
}

/** The sum of the numbers of a job's tasks. */
export function sumOf(tasks: number): number {
  return (tasks * (tasks - 1)) / 2
}

/** Throws if `sum` is not the sum of the numbers of this many tasks. */
export function check(sum: unknown, tasks: number): void {
  if (sum !== sumOf(tasks)) throw new Error(`the tasks' numbers add up to ${String(sum)}, not to ${sumOf(tasks)}`)
}

/** Returns the duration of `run`, ms. */
export async function timed(run: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await run()
  return performance.now() - begin
}
