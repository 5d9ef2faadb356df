/**
 * The scheduler on a virtual clock and network, for experiments. May change in any version.
 *
 * @module
 */
export { defaultSchedulerConfig } from '../core/config.ts'
export type { Entry } from '../core/entry.ts'
export type { Effect, Input, JobId, JobSpec, MemberId, Message } from '../core/io.ts'
export { ROOT, stepsOf, type Path } from '../core/path.ts'
export { Scheduler, type SchedulerOptions } from '../core/scheduler.ts'
export { toBytes } from '../schemas.ts'
export { replaceOften, runChaos, type ChaosResult } from './chaos.ts'
export { VirtualGrid, type GridMember, type GridMemberOptions, type GridOptions } from './grid.ts'
export { measure, type Measures } from './measure.ts'
export type { Plan, VirtualProgram } from './program.ts'
export { flatJob, irregularTree, numberBytes, rootInput, type TaskTime, type TreeOptions } from './trees.ts'
export { driverJob, flatTreeJob, searchJob, spaceJob, treeJob, type VirtualJob } from './virtual-job.ts'
export { lieAbout, VirtualWorker } from './worker.ts'
