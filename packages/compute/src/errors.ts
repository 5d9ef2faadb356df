import { JelError } from '@jel/protocol'
import type { TaskFailure } from './core/entry.ts'

/** Base class of the errors of computing. */
export abstract class ComputeError extends JelError {}

/**
 * The program is unreadable, does not parse, uses a name that no runtime defines, or fails while it
 * loads.
 */
export class ProgramError extends ComputeError {
  readonly code = 'PROGRAM_UNUSABLE'
}

/** The program exports no task of this name. */
export class FunctionMissingError extends ComputeError {
  readonly code = 'FUNCTION_MISSING'
}

/** No member of the pool knows this job, or several owners have a job of this name. */
export class UnknownJobError extends ComputeError {
  readonly code = 'UNKNOWN_JOB'
}

/** This owner has another job of the same name. */
export class JobNameTakenError extends ComputeError {
  readonly code = 'JOB_NAME_TAKEN'
}

/** The number of votes is not a whole number from 1 to 7. */
export class VotesError extends ComputeError {
  readonly code = 'VOTES_IMPOSSIBLE'
}

/** The requirements of a job are no condition, or too long. */
export class RequirementsError extends ComputeError {
  readonly code = 'REQUIREMENTS_IMPOSSIBLE'
}

/** Only the owner of a job may cancel, suspend, resume or forget it. */
export class NotOwnerError extends ComputeError {
  readonly code = 'NOT_OWNER'
}

/** None of the asked members has these bytes, or the job has no such blob. */
export class BlobMissingError extends ComputeError {
  readonly code = 'BLOB_MISSING'
}

/**
 * The blobs or the program have more bytes than allowed, or more than a member keeps on disk. Or
 * there are too many blobs.
 */
export class BlobTooLargeError extends ComputeError {
  readonly code = 'BLOB_TOO_LARGE'
  /** True if the bytes exceed the limit by themselves. Then no eviction can make room. */
  readonly isForGood: boolean

  constructor(message: string, isForGood = false) {
    super(message)
    this.isForGood = isForGood
  }
}

/** No other member keeps the job, so it would be lost with this member. */
export class JobNotKeptError extends ComputeError {
  readonly code = 'JOB_NOT_KEPT'
}

/** The owner of the job cancelled it. */
export class JobCancelledError extends ComputeError {
  readonly code = 'JOB_CANCELLED'
}

/** The job failed: its root has no value. */
export class JobFailedError extends ComputeError {
  /** The code of the failure, such as `TASK_THREW` or `JOB_TOO_WIDE`. */
  readonly code: string
  /** The id of the member where the task failed. */
  readonly member: string
  /** The number of tries of the task. */
  readonly tries: number
  /** The stack of the program at the throw. */
  readonly remoteStack: string | undefined
  /** The path of the task that failed; '' is the root. Undefined if no single task failed. */
  readonly task: string | undefined
  /** The function of that task. */
  readonly fn: string | undefined
  /** The beginning of its input, as text. */
  readonly input: string | undefined
  /** The causes of the error, as text: its `cause`, the cause of that, and so on. */
  readonly remoteCause: string | undefined

  constructor(failure: TaskFailure) {
    super(failure.message)
    this.code = failure.code
    this.member = failure.member
    this.tries = failure.tries
    this.remoteStack = failure.stack
    this.task = failure.task
    this.fn = failure.fn
    this.input = failure.input
    this.remoteCause = failure.cause
  }
}
