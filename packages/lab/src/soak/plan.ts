/** The settings of a soak, and its nodes. */
import type { OverlayOptions } from '@jel/overlay'

/** A process that holds some of the nodes. */
export interface Group {
  readonly name: string
  readonly nodes: number
  /** Seconds between two of its nodes leaving while new ones enter; undefined: all stay. */
  readonly replaces?: number
  /**
   * Runs without compilers: its heap holds the program's objects, without the engine's notes about
   * code that it compiles for hours.
   */
  readonly interpreted?: boolean
}

function groups(name: string, nodes: number, count: number, more: Partial<Group> = {}): Group[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${name} ${i + 1}`, nodes, ...more }))
}

/** Seconds between two of the churning leaving. */
const STAY = 60

/**
 * Sixty nodes, with {@link KILLED}. A node by itself shows a leak most clearly, since little else
 * changes its heap. The groups that stay show leaks that it misses. The churning ones show the
 * memory that a node leaves behind in its process when it leaves the pool.
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
 * Node's flags for all processes, and for interpreted ones. The young generation keeps its size.
 * The engine otherwise doubles it at some time in each process, 20 MB that look like a slope.
 */
export const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16']
export const INTERPRETED_FLAGS = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-lazy-feedback-allocation']

/** Killed in turn with all their nodes, and started again. They are not measured. */
export const KILLED: readonly Group[] = [...groups('killed', 5, 3), ...groups('killed few', 4, 1)]

/** Seconds between two kills. */
export const KILL_EVERY = 120

/** Seconds between two samples, and between two actions of a group's application. */
export const SAMPLE_EVERY = 15
export const ACT_EVERY = 20

/**
 * By design, ended members are remembered for a day, which would make an hour of churn one long
 * slope. With five minutes instead, memory must stay flat after these, and the same hour shows that
 * expired entries are freed. Links likewise: random ones are replaced each minute instead of each
 * ten. Otherwise their number takes an hour to come up to its bound, and heap with it.
 */
export const CONFIG: NonNullable<OverlayOptions['config']> = {
  links: { randomLifetime: 60_000 },
  tombstones: { lifetime: 300_000 },
  healing: { memory: 240_000 },
}

/** One sample of a process. */
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
