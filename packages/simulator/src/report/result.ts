/**
 * The result of one run of a scenario: plain data. Times are milliseconds from the start, sizes are
 * bytes.
 */
import type { Milliseconds } from '@jel/protocol'

/** The measurements of a sample, in the order of tables. */
export const columns = ['nodes', 'perceived', 'right', 'bytes', 'links', 'mostLinks', 'dials', 'hostProbes', 'endedLives'] as const

/** The measurements of each `sample` of the scenario: a table, column by column. */
export interface Samples {
  readonly time: readonly Milliseconds[]
  /** The number of living nodes. */
  readonly nodes: readonly number[]
  /**
   * The mean size of the views of all living nodes: the JEL paper's metric (§6.1). A node without
   * any notification counts as 0.
   */
  readonly perceived: readonly number[]
  /** The number of nodes whose view is exact. */
  readonly right: readonly number[]
  /** The number of different winners that nodes name, by election. */
  readonly winners: Readonly<Record<string, readonly number[]>>
  /** The bytes received since the start, as the mean of all nodes ever started. */
  readonly bytes: readonly number[]
  readonly links: readonly number[]
  readonly mostLinks: readonly number[]
  /** In the whole pool, since the previous sample. */
  readonly dials: readonly number[]
  readonly hostProbes: readonly number[]
  /** Lives of running members that ended in some view, since the start. */
  readonly endedLives: readonly number[]
}

export interface Quantiles {
  readonly count: number
  readonly mean?: number
  readonly p50?: number
  readonly p90?: number
  readonly p99?: number
  readonly max?: number
}

/** The bytes of one node over the whole run. */
export interface NodeBytes {
  readonly mean: number
  readonly worst: number
  /** The mean by class of traffic. */
  readonly byPurpose: Readonly<Record<string, number>>
}

/**
 * Lives of running members whose end some node was notified of, with every disturbance of the
 * network around them.
 */
export interface EndedLivesResult {
  readonly total: number
  /** The lives whose end a notified node could have known to be false. */
  readonly false: number
  /** The lives whose end no notified node could have known to be false. */
  readonly explained: number
  /** The first false end, for people. */
  readonly first?: string
}

export interface ElectionResult {
  /** The number of reigns that any node was notified of. */
  readonly reigns: number
  /** When all named the same living winner. */
  readonly agreed: readonly (readonly [from: Milliseconds, to: Milliseconds | null])[]
}

/**
 * The detection times of losses. `missed` counts pairs of a lost member and a survivor that was not
 * notified of it.
 */
export interface Detection extends Quantiles {
  readonly missed: number
}

/** The result of one job. */
export interface JobResult {
  readonly submittedAt?: Milliseconds
  /** When the first member knew its result. */
  readonly doneAt?: Milliseconds
  /** At the end every computing member knows the result, and it is the right one. */
  readonly isDoneEverywhere: boolean
  readonly isRight: boolean
  /** The number of tasks that ran, and of all their executions. */
  readonly tasks: number
  readonly executions: number
  /** The processor time, at speed 1. */
  readonly work: Milliseconds
  /** The repeated work, as a share of the work. */
  readonly doneTwice: number
}

/** The result of all jobs of a pool. */
export interface JobsResult {
  readonly jobs: Readonly<Record<string, JobResult>>
  /** The share of the processors' time, while jobs ran, that went into first executions. */
  readonly efficiency: number
  /**
   * For each site the share of its processors' time in which they computed. Satin's authors call it
   * efficiency.
   */
  readonly sites: Readonly<Record<string, number>>
  readonly doneTwice: number
  /** Messages of schedulers, and dials for their streams. */
  readonly messages: number
  readonly dials: number
}

/** One expectation, and whether it held. */
export interface Verdict {
  readonly what: string
  readonly held: boolean
  /** The observation, for people. */
  readonly seen: string
  /**
   * The observation as a number, if it is one: the higher the worse. Times are ms. An event that
   * never happened has none.
   */
  readonly value?: number
}

/** The first broken promise. The run stopped there, unless it was the false death of a member. */
export interface Violation {
  readonly time: Milliseconds
  /** The number of the node; undefined if the whole pool broke it. */
  readonly node?: number
  readonly what: string
  /** The last events of that node or of the scenario. */
  readonly before: readonly string[]
}

export interface RunResult {
  readonly scenario: string
  readonly seed: number
  /** The virtual time at its end. */
  readonly duration: Milliseconds
  /** The number of nodes ever started. */
  readonly nodes: number
  /** The digest of the history. Equal histories have equal digests. */
  readonly traceHash: string
  readonly events: number
  readonly violation?: Violation
  /** Empty if the run stopped before its end. */
  readonly verdicts: readonly Verdict[]
  /** When every view was exact; null: to the end. */
  readonly allKnewAll: readonly (readonly [from: Milliseconds, to: Milliseconds | null])[]
  readonly lastArrival: Milliseconds
  readonly lastChange: Milliseconds
  /** The times from a crash to its notification, over all pairs of crashed node and survivor. */
  readonly detection: Detection
  /** The same for members whose cable was pulled and that were not back by then. */
  readonly silenceDetection: Detection
  readonly endedLives: EndedLivesResult
  readonly elections: Readonly<Record<string, ElectionResult>>
  readonly received: NodeBytes
  readonly sent: NodeBytes
  readonly links: { readonly mean: number; readonly most: number }
  /** In the whole pool. */
  readonly dials: { readonly total: number; readonly worstSecond: number }
  readonly hostProbes: { readonly total: number; readonly worstSecond: number }
  /** Undefined if the scenario has no jobs. */
  readonly computed?: JobsResult
  readonly samples: Samples
}
