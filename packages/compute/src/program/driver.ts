import { task, type TaskDefinition } from './definitions.ts'

/** A task that a driver asks for, and its input. */
export type DriverTask = readonly [task: TaskDefinition<never, unknown>, input: unknown]

export interface DriverOptions<Args, State, Result> {
  /** The state before the first result, and the first tasks. */
  readonly start: (args: Args) => { readonly state: State; readonly tasks: readonly DriverTask[] }
  /** Folds one result into the state, and may ask for more tasks. Results come in no certain order. */
  readonly done: (state: State, input: never, value: never) => { readonly state: State; readonly tasks?: readonly DriverTask[] }
  /** Which of the waiting tasks go first: the smallest. Default: the oldest. */
  readonly order?: (input: never) => number
  readonly result: (state: State) => Result
}

/** Tasks that are out at once. A guess: enough for as many workers, few enough that the order of the rest counts. */
const OUT = 1024

/**
 * A master that keeps a state (MW): it runs where the root of the job is. Another holder starts it again, and the tasks that are covered return at
 * once, so its state needs no copy: it is a fold over the job's coverage, in which each result counts once.
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
        // The state as it is now: others may have ended meanwhile.
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
