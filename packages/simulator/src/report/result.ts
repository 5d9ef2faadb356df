/** What came of one run of a scenario: plain data. Times are milliseconds from the start, sizes are bytes. */
import type { Milliseconds } from '@jel/protocol'

/** Measured each `sample` of the scenario: a table, column by column. */
export interface Samples {
  readonly time: readonly Milliseconds[]
  /** Who takes part. */
  readonly nodes: readonly number[]
  /** Mean size of the views of all that take part: the JEL paper's metric (§6.1). A node that was told nothing yet counts as 0. */
  readonly perceived: readonly number[]
  /** Nodes whose view is exactly who is there. */
  readonly right: readonly number[]
  /** Different winners that nodes name, by election. */
  readonly winners: Readonly<Record<string, readonly number[]>>
  /** Received since the start, mean of all nodes that there ever were. */
  readonly bytes: readonly number[]
  readonly links: readonly number[]
  readonly mostLinks: readonly number[]
  /** In the whole pool, since the sample before. */
  readonly dials: readonly number[]
  readonly hostProbes: readonly number[]
  /** Lives of running members that ended for somebody, since the start. */
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

/** Bytes of one node over the whole run. */
export interface NodeBytes {
  readonly mean: number
  readonly worst: number
  /** Mean, by what they are for. */
  readonly byPurpose: Readonly<Record<string, number>>
}

/** Lives of running members whose end somebody was told, whatever was done to the network around them. */
export interface EndedLivesResult {
  readonly total: number
  /** Of these, where somebody who was told could have known better. */
  readonly false: number
  /** Where nobody could. */
  readonly explained: number
  /** The first false one, for people. */
  readonly first?: string
}

export interface ElectionResult {
  /** How many reigns any node was told of. */
  readonly reigns: number
  /** When all named the same living winner. */
  readonly agreed: readonly (readonly [from: Milliseconds, to: Milliseconds | null])[]
}

/** How soon losses were known. `missed`: pairs of a lost member and a survivor that was not told of it. */
export interface Detection extends Quantiles {
  readonly missed: number
}

/** What became of one job. */
export interface JobResult {
  readonly submittedAt?: Milliseconds
  /** When a member first knew its result. */
  readonly doneAt?: Milliseconds
  /** All that compute know it at the end; and it is the right one. */
  readonly isDoneEverywhere: boolean
  readonly isRight: boolean
  /** Tasks that were run, and how often in all. */
  readonly tasks: number
  readonly executions: number
  /** Of processors of speed 1. */
  readonly work: Milliseconds
  /** Work that was done more than once, as a share of the work. */
  readonly doneTwice: number
}

/** What the pool computed. */
export interface JobsResult {
  readonly jobs: Readonly<Record<string, JobResult>>
  /** Share of the processors' time that went into work that counts, while jobs ran. */
  readonly efficiency: number
  /** Of each site, the share of its processors' time in which they computed: what Satin's authors call efficiency. */
  readonly sites: Readonly<Record<string, number>>
  readonly doneTwice: number
  /** Of schedulers, and dials for their streams. */
  readonly messages: number
  readonly dials: number
}

/** One thing that was to hold, and whether it did. */
export interface Verdict {
  readonly what: string
  readonly held: boolean
  /** What was seen. */
  readonly seen: string
  /** The same as a number, where it is one: the higher the worse. Times are ms; never is left out. */
  readonly value?: number
}

/** The first promise that was broken: the run stopped there, unless it was the false death of a member. */
export interface Violation {
  readonly time: Milliseconds
  /** The number of the node; undefined where it was the pool as a whole. */
  readonly node?: number
  readonly what: string
  /** What happened last, to that node or by the scenario. */
  readonly before: readonly string[]
}

export interface RunResult {
  readonly scenario: string
  readonly seed: number
  /** Until which virtual time it ran. */
  readonly duration: Milliseconds
  /** Nodes that there ever were. */
  readonly nodes: number
  /** Equal histories have equal ones. */
  readonly traceHash: string
  readonly events: number
  readonly violation?: Violation
  /** None where the run stopped before its end. */
  readonly verdicts: readonly Verdict[]
  /** When every view was exactly who was there; null: to the end. */
  readonly allKnewAll: readonly (readonly [from: Milliseconds, to: Milliseconds | null])[]
  readonly lastArrival: Milliseconds
  readonly lastChange: Milliseconds
  /** From a crash to the news of it, over all pairs of crashed node and survivor. */
  readonly detection: Detection
  /** The same of members whose cable was pulled and that were not back by then. */
  readonly silenceDetection: Detection
  readonly endedLives: EndedLivesResult
  readonly elections: Readonly<Record<string, ElectionResult>>
  readonly received: NodeBytes
  readonly sent: NodeBytes
  readonly links: { readonly mean: number; readonly most: number }
  /** In the whole pool. */
  readonly dials: { readonly total: number; readonly worstSecond: number }
  readonly hostProbes: { readonly total: number; readonly worstSecond: number }
  /** Undefined where the scenario has no jobs. */
  readonly computed?: JobsResult
  readonly samples: Samples
}
