/**
 * The module that programs of the grid import. A program is one ES module. A job can run each task
 * that it exports. A task must return the same value for the same input, and must have no side
 * effects.
 *
 * @module
 */
export { blob, type BlobReference, type Unpack, type UseBlob } from './blob.ts'
export { first, max, min, shared, task, union } from './definitions.ts'
export type { Join, SharedDefinition, TaskContext, TaskDefinition, TaskFunction } from './definitions.ts'
export { driver, type DriverOptions, type DriverTask } from './driver.ts'
export type { ChildFailedError } from './failures.ts'
export { Contract, gainOf, shouldMove, type Move } from './migration.ts'
export { space, type Range, type SpaceOptions } from './space.ts'
/** For the runtime of programs. */
export { sharedValues } from './definitions.ts'
export { sweepOf } from './map.ts'
