/**
 * Parts for running other protocols on this network: scenarios with a server, numbers that are the
 * same everywhere, and the event queue.
 *
 * @packageDocumentation
 */
export type { Digest } from './engine/digest.ts'
export { EventQueue, type EventHandle } from './engine/event-queue.ts'
export { SimulatedTestbed } from './user/simulated-testbed.ts'
export { exactLog, floorLog2 } from './engine/exact.ts'
