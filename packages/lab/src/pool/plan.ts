/** The settings of a run of the benchmark. */
import type { Unit } from './measure.ts'

/** Adds a value to a row. */
export type Add = (name: string, unit: Unit, value: number, target?: number) => void

export const PHASES = ['flash', 'join', 'leave', 'kill', 'winner', 'idle'] as const
type Phase = (typeof PHASES)[number]

export interface Plan {
  /** Number of new swarms. */
  readonly runs: number
  readonly phases: ReadonlySet<Phase>
  /** Number of single joins, leaves and kills in one swarm. */
  readonly repeats: number
  /** Time for which a swarm rests before each measurement, ms. */
  readonly settle: number
  /** Length of the measurement of idle cost, and of the rest before it, ms. */
  readonly idle: number
  /** Flags of Node for all child processes. */
  readonly flags: readonly string[]
  /** The entry of the command line. */
  readonly bin: string
}

/** Longest waits, ms. A longer wait counts as "never". */
export const TIMEOUT = { flash: 90_000, news: 20_000, death: 60_000 } as const
