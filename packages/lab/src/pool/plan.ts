/** What a benchmark run is asked to do. */
export const PHASES = ['flash', 'join', 'leave', 'kill', 'winner', 'idle'] as const
type Phase = (typeof PHASES)[number]

export interface Plan {
  /** Whole swarms started anew. */
  readonly runs: number
  readonly phases: ReadonlySet<Phase>
  /** How often a single join, leave, kill is repeated in one swarm. */
  readonly repeats: number
  /** How long a swarm that knows itself is left alone before anything is measured in it, in milliseconds. */
  readonly settle: number
  /** How long a swarm is left alone before its idle cost is measured, and for how long that is, in milliseconds. */
  readonly idleSettle: number
  readonly idle: number
  /** Node's own flags for all children. */
  readonly flags: readonly string[]
  /** The command line's entry. */
  readonly bin: string
  readonly say: (text: string) => void
}

/** Longest waits, after which a figure counts as "never". */
export const TIMEOUT = { flash: 90_000, news: 20_000, death: 60_000 } as const
