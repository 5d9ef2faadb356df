import type { TaskFailure } from '../core/entry.ts'
import type { BlobReference } from './blob.ts'
import { isTask, task, type FurtherContext, type TaskContext, type TaskDefinition } from './definitions.ts'
import type { ChildFailedError } from './failures.ts'

/**
 * Maximum characters of the message and the causes of a failed input. A guess: thousands of
 * failures fit into a value.
 */
const MAX_MESSAGE = 400

/** The name under which a bundled program exports the root of a sweep. */
export const SWEEP = 'sweep$'

/** The input of the root of a sweep. */
interface Sweep {
  /** The inputs, or the blob of the encoded list if there are many. */
  readonly inputs: readonly unknown[] | BlobReference
  /** Whether to go on if the function fails for an input. */
  readonly keepGoing: boolean
  /** How often the root tries a failed input again. */
  readonly retries: number
}

/**
 * The failure of the function for an input. `task`, `fn` and `input` name the task that failed. It
 * may be one that the function called. A member of an earlier release gives only three fields.
 */
export type MapFailure = Pick<TaskFailure, 'code' | 'message' | 'member'> & {
  readonly [Key in 'tries' | 'task' | 'fn' | 'input' | 'cause']?: TaskFailure[Key] | undefined
}

/** The end of one input of a sweep that keeps going, as `Promise.allSettled` gives it. */
export type MapOutcome =
  | { readonly status: 'fulfilled'; readonly value: unknown }
  | { readonly status: 'rejected'; readonly reason: MapFailure }

/**
 * Returns the tasks of a sweep: a function of a program for one input, and the root, which calls it
 * for each input. `grid.map` adds both to the exports of the program.
 *
 * @param program the exports of the program
 * @param name a task, or any function of one input
 * @throws TypeError if there is neither
 */
export function sweepOf(
  program: Readonly<Record<string, unknown>>,
  name: string,
): readonly [TaskDefinition<unknown, unknown>, TaskDefinition<Sweep, readonly unknown[]>] {
  const given = program[name]
  if (!isTask(given) && typeof given !== 'function') throw new TypeError(`the program exports no function ${name}`)
  // The function gets no context: its second parameter may have another purpose.
  const item = isTask(given) ? given : task((input: unknown) => (given as (input: unknown) => unknown)(input))
  const root = task(async ({ inputs, keepGoing, retries }: Sweep, context: TaskContext & FurtherContext): Promise<readonly unknown[]> => {
    const { run, use, decode } = context
    const valueOf = async (input: unknown): Promise<unknown> => {
      for (let left = retries; ; left--) {
        try {
          return await run(item, input)
        } catch (error) {
          if (left === 0) throw error
        }
      }
    }
    const all = 'blob' in inputs ? await use(inputs, (bytes) => decode?.(bytes) as readonly unknown[] | undefined) : inputs
    if (all === undefined) throw new Error('this member has a release that takes no inputs above 1 MiB')
    const values = all.map(valueOf)
    return keepGoing ? (await Promise.allSettled(values)).map(outcomeOf) : await Promise.all(values)
  })
  return [item, root]
}

function outcomeOf(settled: PromiseSettledResult<unknown>): MapOutcome {
  if (settled.status === 'fulfilled') return settled
  const { code, message, member, tries, task: path, fn, input, remoteCause } = settled.reason as ChildFailedError
  return rejected({ code, message, member, tries, task: path, fn, input, cause: remoteCause })
}

/** Returns the outcome of an input for which the function failed. */
export function rejected({ code, message, member, tries, task: path, fn, input, cause }: MapFailure): MapOutcome {
  const reason = {
    code,
    message: shortened(message).toWellFormed(),
    member,
    ...(tries !== undefined && { tries }),
    ...(path !== undefined && { task: path }),
    ...(fn !== undefined && { fn }),
    ...(input !== undefined && { input }),
    ...(cause !== undefined && { cause: shortened(cause).toWellFormed() }),
  }
  return { status: 'rejected', reason }
}

/** Keeps both ends: a traceback of Python ends with the reason. */
function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message
  return `${message.slice(0, MAX_MESSAGE / 4)} … ${message.slice(3 - (3 * MAX_MESSAGE) / 4)}`
}
