/** The settings of a soak, and the groups of its nodes. */
import type { OverlayOptions } from '@jel/overlay'

/** A process with some of the nodes. */
export interface Group {
  readonly name: string
  readonly nodes: number
  /**
   * Interval at which one of its nodes leaves and a new node enters, s; undefined: all nodes stay.
   */
  readonly replaces?: number
  /**
   * The process runs without compilers. Its heap then holds the program's objects, but not the data
   * about code that the engine compiles for hours.
   */
  readonly interpreted?: boolean
}

function groups(name: string, nodes: number, count: number, more: Partial<Group> = {}): Group[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${name} ${i + 1}`, nodes, ...more }))
}

/** Interval at which a churning group replaces a node, s. */
const STAY = 60

/**
 * The measured groups. Together with {@link KILLED} they have sixty nodes. A single node shows a
 * leak most clearly, because little else changes its heap. The staying groups show leaks that a
 * single node misses. The churning groups show the memory that a node leaves behind in its process
 * when it leaves the pool.
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
 * Flags of Node for all processes, and further flags for interpreted processes. The young
 * generation keeps its size. Otherwise the engine doubles it at some time in each process, and the
 * additional 20 MB look like a slope.
 */
export const FLAGS = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16']
export const INTERPRETED_FLAGS = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-lazy-feedback-allocation']

/**
 * The soak kills these groups in turn, with all their nodes, and starts them again. It does not
 * measure them.
 */
export const KILLED: readonly Group[] = [...groups('killed', 5, 3), ...groups('killed few', 4, 1)]

/** Interval between two kills, s. */
export const KILL_EVERY = 120

/** Interval between two samples, and between two actions of a group's application, s. */
export const SAMPLE_EVERY = 15
export const ACT_EVERY = 20

/**
 * By default a node remembers an ended member for a day. Its memory would grow during the whole
 * hour of churn. Here a node remembers an ended member for five minutes. After the first five
 * minutes memory must stay flat. The hour also shows that nodes free expired entries. A node
 * replaces random links each minute instead of every ten minutes. Otherwise the number of links,
 * and with it the heap, would take an hour to reach its bound.
 */
export const CONFIG: NonNullable<OverlayOptions['config']> = {
  links: { randomLifetime: 60_000 },
  tombstones: { lifetime: 300_000 },
  healing: { memory: 240_000 },
}

/** One sample of the resources of a process. */
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
