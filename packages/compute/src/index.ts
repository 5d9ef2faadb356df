/**
 * Jobs on a decentralized pool. They outlive every member, including the one that submitted them.
 * Start with `compute`.
 *
 * @packageDocumentation
 */
export { compute } from './compute.ts'
export { computeLocal } from './compute-local.ts'
export type { LocalGrid } from './local.ts'
export type { Grid, GridEvents, GridFigures } from './grid.ts'
export type { CommandOptions, ComputeOptions, LocalOptions, MapOptions, SubmitOptions } from './options.ts'
export type { CollectedFile } from './program/collected-files.ts'
export type { CommandResult } from './program/command.ts'
export type { MapFailure, MapOutcome } from './program/map.ts'
export type { Job, OutputOptions } from './job.ts'
export type { Sweep, SweepOutcome } from './sweep.ts'
export type { JobProgress, JobState } from './job-progress.ts'
export type { EndedShift, Shift } from './shell/shifts.ts'
export { publishShares, sharesOf } from './share-policy.ts'
export type { Shares } from './shell/share-record.ts'
export type { TaskOutput } from './shell/output-log.ts'
export type { FunctionWork, HeldTask, JobExplanation, MemberWork, RunningTask } from './core/messages.ts'
export type { TaskLimits } from './program/task-limits.ts'
export type { BlobReference } from './program/blob.ts'
export {
  BlobMissingError,
  BlobTooLargeError,
  ComputeError,
  FunctionMissingError,
  JobCancelledError,
  JobFailedError,
  JobNameTakenError,
  JobNotKeptError,
  NotOwnerError,
  ProgramError,
  UnknownJobError,
  VotesError,
} from './errors.ts'
export { UnclonableError, ValueTooLargeError } from './program/values.ts'
