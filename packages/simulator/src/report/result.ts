/**
 * The result of one run of a scenario: plain data. Times are milliseconds from the start, sizes are
 * bytes.
 */
import type { Milliseconds } from '@jel/protocol'

/** The measurements of a sample, in the order of the columns of tables. */
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
  /** The dials and host probes of the whole pool since the previous sample. */
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
 * Ended lives of running members: some node was notified of the end. Ends during a disturbance of
 * the network count, too.
 */
export interface EndedLivesResult {
  readonly total: number
  /** The lives with a false end: contact with the member contradicted the notification. */
  readonly false: number
  /** The other lives: no contact contradicted the notification. */
  readonly explained: number
  /** The first false end, for people. */
  readonly first?: string
}

export interface ElectionResult {
  /** The number of reigns that any node was notified of. */
  readonly reigns: number
  /** The times in which all nodes named the same living winner. */
  readonly agreed: readonly (readonly [from: Milliseconds, to: Milliseconds | null])[]
}

/**
 * The detection times of losses. `missed` counts pairs of a lost member and a survivor that was not
 * notified of the loss.
 */
export interface Detection extends Quantiles {
  readonly missed: number
}

/** The result of one job. */
export interface JobResult {
  readonly submittedAt?: Milliseconds
  /** The time when the first member knew the result. */
  readonly doneAt?: Milliseconds
  /** True if every computing member knows the result at the end. */
  readonly isDoneEverywhere: boolean
  /** True if all of them hold the right result. */
  readonly isRight: boolean
  /** The number of tasks that ran, and the number of their executions. */
  readonly tasks: number
  readonly executions: number
  /** The processor time of first executions, at speed 1. */
  readonly work: Milliseconds
  /** The repeated work as a share of `work`. */
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
   * The observation as a number, if it has one. A higher number is worse. Times are ms. An event
   * that never happened has no number.
   */
  readonly value?: number
}

/** The first broken promise. The run stopped there, unless it was the false death of a member. */
export interface Violation {
  readonly time: Milliseconds
  /** The number of the node; undefined if the whole pool broke the promise. */
  readonly node?: number
  readonly what: string
  /** The last events of that node or of the scenario. */
  readonly before: readonly string[]
}

export interface RunResult {
  readonly scenario: string
  readonly seed: number
  /** The virtual time at the end of the run. */
  readonly duration: Milliseconds
  /** The number of nodes ever started. */
  readonly nodes: number
  /** The digest of the history. Equal histories have equal digests. */
  readonly traceHash: string
  readonly events: number
  readonly violation?: Violation
  /** Empty if the run stopped before its end. */
  readonly verdicts: readonly Verdict[]
  /** The times in which every view was exact. `null`: until the end of the run. */
  readonly allKnewAll: readonly (readonly [from: Milliseconds, to: Milliseconds | null])[]
  readonly lastArrival: Milliseconds
  readonly lastChange: Milliseconds
  /** The times from a crash to its notification, over all pairs of crashed node and survivor. */
  readonly detection: Detection
  /** The same for members whose cable was pulled, and not plugged in again. */
  readonly silenceDetection: Detection
  readonly endedLives: EndedLivesResult
  readonly elections: Readonly<Record<string, ElectionResult>>
  readonly received: NodeBytes
  readonly sent: NodeBytes
  readonly links: { readonly mean: number; readonly most: number }
  /** The dials and host probes of the whole pool. */
  readonly dials: { readonly total: number; readonly worstSecond: number }
  readonly hostProbes: { readonly total: number; readonly worstSecond: number }
  /** Undefined if the scenario has no jobs. */
  readonly computed?: JobsResult
  readonly samples: Samples
}
