/**
 * Jobs on a decentralized pool: they outlive every member, the one that submitted them included.
 *
 * @packageDocumentation
 */
export { Scheduler, type JobView, type SchedulerOptions } from './core/scheduler.ts'
export type { ComputeMember, Effect, Input, JobSpec, Message } from './core/io.ts'
