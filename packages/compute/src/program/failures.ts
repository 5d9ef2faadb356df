import { MAX_SHOWN, type TaskFailure } from '../core/entry.ts'
import type { Path } from '../core/path.ts'
import { causesOf, describeThrown } from './thrown.ts'

/** Maximum characters of a reported stack. A guess. */
const MAX_STACK = 4000

/** Failures of children as they arrived. A program may change the error objects that it gets. */
const childFailures = new WeakMap<object, TaskFailure>()

/** The error of a child that gave no value. */
export class ChildFailedError extends Error {
  readonly code: string
  readonly member: string
  readonly tries: number
  /** The path of the task that failed: this child, or one below it. */
  readonly task: string | undefined
  /** The function of that task. */
  readonly fn: string | undefined
  /** The beginning of its input, as text. */
  readonly input: string | undefined
  /** The causes of the error, as text: its `cause`, the cause of that, and so on. */
  readonly remoteCause: string | undefined

  constructor(failure: TaskFailure) {
    const { code, message, member, tries, stack, task, fn, input, cause } = failure
    super(message)
    // The stack of the child at the member where it threw. A stack of this place would only have
    // frames of the runtime.
    this.stack = stack ?? `${this.name}: ${message}`
    this.code = code
    this.member = member
    this.tries = tries
    this.task = task
    this.fn = fn
    this.input = input
    this.remoteCause = cause
    childFailures.set(this, failure)
  }

  override get name(): string {
    return 'ChildFailedError'
  }
}

/**
 * Describes an error that a task threw.
 *
 * @param mapped maps a stack to the author's files
 * @param input returns the beginning of the task's input, as text
 */
export function failureOf(
  error: unknown,
  { path, fn }: { readonly path: Path; readonly fn: string },
  mapped: (stack: string) => string,
  input: () => string,
): TaskFailure {
  const { code = 'TASK_THREW', message, stack } = describeThrown(error)
  // The program can change neither the member at which a child failed nor the number of its tries.
  const child = typeof error === 'object' && error !== null ? childFailures.get(error) : undefined
  if (child !== undefined) return { ...child, code, message }
  const shown = stack && mapped(stack)
  const cause = causesOf(error).join(', because: ')
  return {
    code,
    message,
    ...(shown !== undefined && { stack: shown.slice(0, MAX_STACK) }),
    member: '',
    tries: 1,
    task: path,
    fn,
    input: input().slice(0, MAX_SHOWN).toWellFormed(),
    ...(cause !== '' && { cause: cause.slice(0, MAX_SHOWN).toWellFormed() }),
  }
}
