import type { Outcome } from '../core/entry.ts'
import { describeThrown } from './thrown.ts'

type Failure = Extract<Outcome, { failure: unknown }>['failure']

/** Most characters of a reported stack. A guess. */
const MAX_STACK = 4000

/** Failures of children as they arrived. A program may change the error objects that it gets. */
const childFailures = new WeakMap<object, Failure>()

/** The error of a child that gave no value. */
export class ChildFailedError extends Error {
  readonly code: string
  readonly member: string
  readonly tries: number

  constructor(failure: Failure) {
    const { code, message, member, tries, stack } = failure
    super(message)
    // The stack of the child, wherever it threw. A stack of this place would only have frames of
    // the runtime.
    this.stack = stack ?? `${this.name}: ${message}`
    this.code = code
    this.member = member
    this.tries = tries
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
 */
export function failureOf(error: unknown, mapped: (stack: string) => string): Failure {
  const { code = 'TASK_THREW', message, stack } = describeThrown(error)
  // The program can't choose the member and the number of tries.
  const child = typeof error === 'object' && error !== null ? childFailures.get(error) : undefined
  const shown = child === undefined ? stack && mapped(stack) : child.stack
  return {
    code,
    message,
    ...(shown !== undefined && { stack: shown.slice(0, MAX_STACK) }),
    member: child?.member ?? '',
    tries: child?.tries ?? 1,
  }
}
