/** The schedule, which is the same for all contenders, and its duration. */
import { sum } from '../base/quantiles.ts'
import type { LabHost } from '../network/host.ts'

/** `flash` starts the agents of all other phases except `three-hosts`, which has its own agents. */
export const PHASES = ['flash', 'idle', 'single', 'stop', 'heal', 'many', 'three-hosts'] as const
type Phase = (typeof PHASES)[number]

export interface Schedule {
  readonly only: ReadonlySet<Phase>
  readonly nodes: number
  /** The hosts of these nodes. */
  readonly hosts: readonly LabHost[]
  /** Number of single joins, leaves and kills. */
  readonly repeats: number
  /** Number of cuts that part the hosts and then heal. */
  readonly heals: number
  /** Number of agents on each of three hosts. */
  readonly perHost: number
  /**
   * Time between two measurements, duration of the measurement at rest, and length of a cut, ms.
   */
  readonly settle: number
  readonly idle: number
  readonly partition: number
}

/** Longest waits, ms. A longer wait counts as never. */
export const LIMITS = { join: 60_000, leave: 30_000, death: 60_000, heal: 240_000 }
/** Time for which an agent is stopped, ms. */
export const STOP = 5_000
/** Time after the stop, ms. A suspicion may still become a death within it. */
export const AFTER_STOP = 10_000
/**
 * Time for which a cut parts two of three hosts, ms: as long as a switch takes to restart. A guess.
 */
export const CUT = 60_000
/** Time after the cut, ms. A suspicion may still become a death within it. */
export const AFTER_CUT = 30_000
/** Number of agents that start at once on three hosts. */
export const BATCH = 5

export function isThreeHostsOnly(only: Schedule['only']): boolean {
  return only.size === 1 && only.has('three-hosts')
}

interface Span {
  readonly usual: number
  readonly most: number
}

/**
 * Duration of one contender's run, ms: the usual duration, measured on two slow cores, and the
 * longest possible duration.
 */
export function durationOf({ only, nodes, repeats, heals, perHost, settle, idle, partition }: Omit<Schedule, 'hosts'>): Span {
  const { join, leave, death, heal } = LIMITS
  const start = 120_000
  const phases: Record<Phase, Span> = {
    flash: { usual: nodes * 300 + settle * 2, most: start * 2 + join + settle * 2 },
    idle: { usual: idle, most: idle },
    single: {
      usual: repeats * (12_000 + settle * 3),
      most: repeats * (start + join + leave + settle * 2 + death + start + join + settle),
    },
    stop: { usual: STOP + AFTER_STOP + 1_000, most: STOP + AFTER_STOP + join },
    heal: { usual: heals * (partition + 20_000 + settle), most: heals * (partition + heal + settle) },
    many: { usual: 10_000, most: death },
    'three-hosts': {
      usual: perHost * 3 * 400 + settle + CUT + AFTER_CUT,
      most: Math.ceil((perHost * 3) / BATCH) * start + join + settle + CUT + AFTER_CUT,
    },
  }
  const chosen = PHASES.filter((phase) => only.has(phase) || (phase === 'flash' && !isThreeHostsOnly(only))).map((phase) => phases[phase])
  return { usual: sum(chosen.map(({ usual }) => usual)), most: sum(chosen.map(({ most }) => most)) }
}
