/** What a soak is asked to do, and who lives in it. */
import type { OverlayOptions } from '@jel/overlay'

/** A process that holds some of the nodes. */
export interface House {
  readonly name: string
  readonly nodes: number
  /** Seconds between two guests leaving while new ones enter; undefined: nobody moves. */
  readonly moves?: number
  /** Without compilers: its heap holds what the program made, and not what the engine notes about the code that it compiles for hours. */
  readonly plain?: boolean
}

function houses(name: string, nodes: number, count: number, more: Partial<House> = {}): House[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${name} ${i + 1}`, nodes, ...more }))
}

/** Seconds between two guests leaving. */
const STAY = 60

/**
 * Sixty nodes, with {@link MORTALS}. A node by itself shows a leak most clearly, since little else changes its heap; the houses of residents
 * show what it misses; the houses of guests show what a node leaves behind in its process when it leaves the pool.
 */
export const HOUSES: readonly House[] = [
  ...houses('hermit', 1, 1),
  ...houses('plain hermit', 1, 1, { plain: true }),
  ...houses('residents', 5, 3),
  ...houses('plain residents', 4, 1, { plain: true }),
  ...houses('guests', 5, 3, { moves: STAY }),
  ...houses('plain guests', 5, 1, { moves: STAY, plain: true }),
]

/**
 * Node's flags for all houses: the young generation keeps its size, which the engine otherwise doubles at some time in each, 20 MB that look like a
 * slope; and for plain ones.
 */
export const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16']
export const PLAIN_FLAGS = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-lazy-feedback-allocation']

/** Houses that are killed in turn with all their nodes, and built anew. Nobody measures them. */
export const MORTALS: readonly House[] = [...houses('mortals', 5, 3), ...houses('mortal few', 4, 1)]

/** Seconds between two houses killed. */
export const KILL_EVERY = 120

/** Seconds between two samples, and between two things that the application of a house does. */
export const SAMPLE_EVERY = 15
export const ACT_EVERY = 20

/**
 * What ended is remembered for a day, by design, which would make an hour of churn one long slope. With five minutes instead, memory
 * must stand still after these, and the same hour shows that what expires is let go. So with links: random ones are replaced each
 * minute instead of each ten, or their number takes an hour to come up to its bound, and heap with it.
 */
export const CONFIG: NonNullable<OverlayOptions['config']> = {
  links: { randomLifetime: 60_000 },
  tombstones: { lifetime: 300_000 },
  healing: { memory: 240_000 },
}

/** What a house is told when it is built. */
export interface Lease {
  readonly house: House
  readonly pool: string
  readonly bootstrap: readonly string[]
}

/** What a house says, over the IPC channel. */
export type Word = { readonly ready: readonly string[] } | { readonly sample: Sample } | { readonly trouble: string }

/** One look at a process. */
export interface Sample {
  /** Unix milliseconds. */
  readonly time: number
  readonly values: Readonly<Record<Measure, number>>
}

export const MEASURES = [
  'heap',
  'code',
  'buffers',
  'resident',
  'descriptors',
  'resources',
  'timers',
  'connections',
  'streams',
  'members',
] as const
export type Measure = (typeof MEASURES)[number]
