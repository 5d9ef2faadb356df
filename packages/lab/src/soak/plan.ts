/** What a soak is asked to do, and who lives in it. */
import type { OverlayOptions } from '@jel/overlay'

/** A process that holds some of the nodes. */
export interface Group {
  readonly name: string
  readonly nodes: number
  /** Seconds between two of its nodes leaving while new ones enter; undefined: all stay. */
  readonly replaces?: number
  /** Without compilers: its heap holds what the program made, and not what the engine notes about the code that it compiles for hours. */
  readonly interpreted?: boolean
}

function groups(name: string, nodes: number, count: number, more: Partial<Group> = {}): Group[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${name} ${i + 1}`, nodes, ...more }))
}

/** Seconds between two of the churning leaving. */
const STAY = 60

/**
 * Sixty nodes, with {@link KILLED}. A node by itself shows a leak most clearly, since little else changes its heap; the groups that stay
 * show what it misses; the churning ones show what a node leaves behind in its process when it leaves the pool.
 */
export const MEASURED: readonly Group[] = [
  ...groups('single', 1, 1),
  ...groups('interpreted single', 1, 1, { interpreted: true }),
  ...groups('staying', 5, 3),
  ...groups('interpreted staying', 4, 1, { interpreted: true }),
  ...groups('churning', 5, 3, { replaces: STAY }),
  ...groups('interpreted churning', 5, 1, { replaces: STAY, interpreted: true }),
]

/**
 * Node's flags for all of them: the young generation keeps its size, which the engine otherwise doubles at some time in each, 20 MB that look like a
 * slope; and for interpreted ones.
 */
export const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16']
export const INTERPRETED_FLAGS = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-lazy-feedback-allocation']

/** Killed in turn with all their nodes, and started anew. Nobody measures them. */
export const KILLED: readonly Group[] = [...groups('killed', 5, 3), ...groups('killed few', 4, 1)]

/** Seconds between two kills. */
export const KILL_EVERY = 120

/** Seconds between two samples, and between two things that the application of a group does. */
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

/** What a process is told when it starts. */
export interface Start {
  readonly group: Group
  readonly pool: string
  readonly bootstrap: readonly string[]
}

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
