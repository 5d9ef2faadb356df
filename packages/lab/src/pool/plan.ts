/** The settings of a benchmark run. */
import type { Unit } from './measure.ts'

/** Adds a value to a row. */
export type Add = (name: string, unit: Unit, value: number, target?: number) => void

export const PHASES = ['flash', 'join', 'leave', 'kill', 'winner', 'idle'] as const
type Phase = (typeof PHASES)[number]

export interface Plan {
  /** Number of fresh swarms. */
  readonly runs: number
  readonly phases: ReadonlySet<Phase>
  /** Repeats of a single join, leave and kill in one swarm. */
  readonly repeats: number
  /** How long a swarm rests between its agreement and a measurement, in milliseconds. */
  readonly settle: number
  /** Length of the measurement of its idle cost, and of the rest before it, in milliseconds. */
  readonly idle: number
  /** Node's own flags for all children. */
  readonly flags: readonly string[]
  /** The command line's entry. */
  readonly bin: string
}

/** Longest waits, after which a figure counts as "never". */
export const TIMEOUT = { flash: 90_000, news: 20_000, death: 60_000 } as const
