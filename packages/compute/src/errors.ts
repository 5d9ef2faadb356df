import { JelError } from '@jel/protocol'

/** Base of the errors of computing. */
export abstract class ComputeError extends JelError {}

/** A program can't be read, does not parse, or fails when it is loaded. */
export class ProgramError extends ComputeError {
  readonly code = 'PROGRAM_UNUSABLE'
}

/** The program exports no such task. */
export class FunctionMissingError extends ComputeError {
  readonly code = 'FUNCTION_MISSING'
}

/** Nobody in the pool knows such a job, or several owners have one of this name. */
export class UnknownJobError extends ComputeError {
  readonly code = 'UNKNOWN_JOB'
}

/** This owner has another job of the same name. */
export class JobNameTakenError extends ComputeError {
  readonly code = 'JOB_NAME_TAKEN'
}

/** A job can't be voted on. */
export class VotesError extends ComputeError {
  readonly code = 'VOTES_IMPOSSIBLE'
}

/** Only the owner of a job may cancel or suspend it. */
export class NotOwnerError extends ComputeError {
  readonly code = 'NOT_OWNER'
}

/** No member that was asked has these bytes, or a job has no such blob. */
export class BlobMissingError extends ComputeError {
  readonly code = 'BLOB_MISSING'
}

/** Blobs take more than a member keeps on disk. */
export class BlobTooLargeError extends ComputeError {
  readonly code = 'BLOB_TOO_LARGE'
  /** It takes more by itself: there is no room for it, whatever else goes. */
  readonly isForGood: boolean

  constructor(message: string, isForGood = false) {
    super(message)
    this.isForGood = isForGood
  }
}

/** No other member keeps the job: it would be lost with this one. */
export class JobNotKeptError extends ComputeError {
  readonly code = 'JOB_NOT_KEPT'
}

/** The job was cancelled by its owner. */
export class JobCancelledError extends ComputeError {
  readonly code = 'JOB_CANCELLED'
}

/** A job failed: its root has no value. */
export class JobFailedError extends ComputeError {
  /** Of what failed, as `TASK_THREW` or `JOB_TOO_WIDE`. */
  readonly code: string
  /** Where it happened. */
  readonly member: string
  readonly tries: number
  /** Of the program, where it threw. */
  readonly remoteStack: string | undefined

  constructor(failure: { code: string; message: string; member: string; tries: number; stack?: string }) {
    super(failure.message)
    this.code = failure.code
    this.member = failure.member
    this.tries = failure.tries
    this.remoteStack = failure.stack
  }
}
