/**
 * The scheduler on a virtual clock and network, for experiments. May change in any version.
 *
 * @module
 */
export { replaceOften, runChaos, type ChaosResult } from './chaos.ts'
export { VirtualGrid, type GridMember, type GridMemberOptions, type GridOptions } from './grid.ts'
export { measure, type Measures } from './measure.ts'
export type { Plan, VirtualProgram } from './program.ts'
export { flatJob, irregularTree, rootInput, type TreeOptions } from './trees.ts'
