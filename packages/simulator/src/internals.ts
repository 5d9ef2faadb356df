/**
 * Parts for the laboratory: attackers for real hosts, the virtual grid, and parts of the simulator
 * for other protocols and for schedulers. They are not published.
 *
 * @module
 */
export type { Digest } from './engine/digest.ts'
export { Attacker, type AttackerOptions } from './hostile/attacker.ts'
export { attacks, type AttackName } from './hostile/index.ts'
export { PathFaults } from './network/path-faults.ts'
export { SimulatedTestbed } from './runner/simulated-testbed.ts'
export { exactLog, floorLog2 } from './engine/exact.ts'
export { replaceOften, runChaos } from './grid/chaos.ts'
export type { GridMember } from './grid/grid-member.ts'
export type { GridMemberOptions, GridOptions } from './grid/grid-options.ts'
export { VirtualGrid } from './grid/grid.ts'
export { measure, type Measures } from './grid/measure.ts'
export { irregularTree, rootInput } from './jobs/programs/trees.ts'
