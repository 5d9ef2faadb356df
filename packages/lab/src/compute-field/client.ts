/** The submitter of each contender: a process of its own, so that it can be killed. */

/** Tasks that don't depend on each other. */
export interface Job {
  readonly tasks: number
  /** Duration of each task. */
  readonly ms: number
  /** Each task keeps a processor for that time; otherwise it waits. */
  readonly busy: boolean
  /** File to which each execution adds a line when it begins and when it ends. */
  readonly log?: string
  /**
   * Once this file exists, one task ends its thread. For contenders that have no processes to kill.
   */
  readonly dies?: string
}

export interface Begun {
  /** The job's id, where it has one. */
  readonly id?: string
  /** Log of its executions. */
  readonly log?: string | undefined
}

export interface Client {
  /** Submits a job. */
  begin(job: Job): Begun | Promise<Begun>
  /**
   * Resolves when it has the results of all tasks, with the time since `begin`, ms. Rejects if a
   * result is wrong or a task failed.
   */
  ended(): Promise<number>
  /**
   * Runs so many empty tasks, each after the previous one's value has come. Returns the total, ms.
   */
  inTurn(tasks: number): Promise<number>
  /** The same with a job for each task. */
  jobByJob(tasks: number): Promise<number>
}

/** A job that was submitted. */
export interface Submitted extends Begun {
  /** The sum of the numbers of its tasks. */
  readonly result: Promise<unknown>
}

/** A client that submits jobs and single tasks in its own way. `one` returns the task's number. */
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

/** Throws unless the sum of all tasks' values is right. */
export function check(sum: unknown, tasks: number): void {
  if (sum !== sumOf(tasks)) throw new Error(`the tasks' numbers add up to ${String(sum)}, not to ${sumOf(tasks)}`)
}

/** The duration of `run`, ms. */
export async function timed(run: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await run()
  return performance.now() - begin
}
