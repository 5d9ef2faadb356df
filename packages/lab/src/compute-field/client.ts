/** Who submits: a process of its own with each contender, so that it can be killed. */

/** Tasks that don't depend on each other. */
export interface Job {
  readonly tasks: number
  /** How long each takes. */
  readonly ms: number
  /** Each keeps a processor for that time; otherwise it waits. */
  readonly busy: boolean
  /** Where each execution is to add a line when it begins and when it ends. */
  readonly log?: string
  /** Once there is such a file, one task ends its thread: in contenders that have no processes to kill. */
  readonly dies?: string
}

export interface Begun {
  /** The job's id, where it has one. */
  readonly id?: string
  /** Where its executions are logged. */
  readonly log?: string | undefined
}

export interface Client {
  /** Submits a job. */
  begin(job: Job): Begun | Promise<Begun>
  /** Resolves when it has the results of all tasks. How long they took since `begin` was called, ms. Rejects if one is wrong or failed. */
  ended(): Promise<number>
  /** Asks for so many tasks that do nothing, each after the other one's value has come; ms in all. */
  inTurn(tasks: number): Promise<number>
  /** The same with a job for each. */
  jobByJob(tasks: number): Promise<number>
}

/** The sum of the numbers of the tasks of a job. */
export function sumOf(tasks: number): number {
  return (tasks * (tasks - 1)) / 2
}

/** Throws unless all tasks gave what they should. */
export function check(sum: unknown, tasks: number): void {
  if (sum !== sumOf(tasks)) throw new Error(`the tasks' numbers add up to ${String(sum)}, not to ${sumOf(tasks)}`)
}

/** How long it took, ms. */
export async function timed(run: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await run()
  return performance.now() - begin
}
