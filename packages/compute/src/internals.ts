/**
 * The scheduler as a pure state machine, for the simulator. May change in any version.
 *
 * @module
 */
export { defaultSchedulerConfig, type SchedulerConfig } from './core/config.ts'
export type { Signer } from './core/context.ts'
export { entryBytes, type Entry, type Outcome } from './core/entry.ts'
export { isFresh } from './core/freshness.ts'
export type { Effect, Input, JobId, JobSpec, MemberId, Spawn } from './core/io.ts'
export type { HeldTask, Message } from './core/messages.ts'
export { ROOT, stepsOf, type Path } from './core/path.ts'
export type { Tickets } from './core/job-queue.ts'
export type { SchedulerOptions } from './core/new-context.ts'
export { Scheduler } from './core/scheduler.ts'
export type { SharePolicy } from './core/shares.ts'
export { joinShared, NOTHING_SHARED, type Shared } from './core/shared-value.ts'
export { toBytes, wireForm } from './schemas.ts'
