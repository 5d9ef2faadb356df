import { task, type TaskDefinition } from './definitions.ts'

/** A task that a driver requests, and its input. */
export type DriverTask = readonly [task: TaskDefinition<never, unknown>, input: unknown]

/** The functions of a {@link driver}. */
export interface DriverOptions<Args, State, Result> {
  /** Returns the state before the first result, and the first tasks. */
  readonly start: (args: Args) => { readonly state: State; readonly tasks: readonly DriverTask[] }
  /** Folds one result into the state, and may return more tasks. Results arrive in any order. */
  readonly done: (state: State, input: never, value: never) => { readonly state: State; readonly tasks?: readonly DriverTask[] }
  /** The priority of a waiting task. The smallest goes first. Default: the oldest goes first. */
  readonly order?: (input: never) => number
  /** Returns the value of the driver from its last state. */
  readonly result: (state: State) => Result
}

/**
 * Maximum number of open tasks at once. A guess: enough for the workers, but few enough that the
 * order of the waiting tasks matters.
 */
const OUT = 1024

/**
 * Defines a task that is a master with a state (MW). It runs at the holder of the job's root. If
 * another holder takes over, the driver starts again, and tasks with outcomes return at once. So
 * the state needs no copy: it is a fold over the job's outcomes, and each result counts once. The
 * driver fails with the first task that fails. At most 1,024 tasks are open at once. The others
 * wait.
 */
export function driver<Args, State, Result>(options: DriverOptions<Args, State, Result>): TaskDefinition<Args, Result> {
  const { start, done, order, result } = options
  return task(async (args: Args, { run }) => {
    let { state, tasks: waiting } = start(args) as { state: State; tasks: DriverTask[] }
    waiting = [...waiting]
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let out = 0
    const fill = (): void => {
      if (order !== undefined) waiting.sort(([, a], [, b]) => order(a as never) - order(b as never))
      for (const next of waiting.splice(0, OUT - out)) void begin(next)
      if (out === 0) resolve()
    }
    const begin = async ([definition, input]: DriverTask): Promise<void> => {
      out++
      try {
        const value = await run(definition, input as never)
        // Reads the present state: other tasks may have ended meanwhile.
        const step = done(state, input as never, value as never)
        out--
        state = step.state
        waiting.push(...(step.tasks ?? []))
        fill()
      } catch (error) {
        reject(error)
      }
    }
    fill()
    await promise
    return result(state)
  })
}
