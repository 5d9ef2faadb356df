/**
 * The suspicion time-out: how long a member is probed directly before others are asked to.
 *
 * | member | found | wait |
 * | --- | --- | --- |
 * | can't be dialled, no link | anything | 4 s: nothing but itself can bring it back |
 * | can't be dialled, link up | anything | as long as an unresponsive process |
 * | dialable | refused | none; 1 s while a link is up |
 * | dialable | silent: nothing answers | 0.6 s |
 * | dialable | unresponsive: the kernel accepts, the process says nothing; or nothing known yet | 15 s; longer where all answers are late |
 *
 * The wait is multiplied by the health multiplier.
 */
import type { Milliseconds } from '../base/io.ts'

/** Latest thing that was found out about a member's host. */
export type Evidence = 'none' | 'refused' | 'silent' | 'unresponsive'

/**
 * Silence of a host (no refusal, no acceptance) until others are asked to probe it, ms from the first suspicion. Guess: as long as a host probe
 * waits.
 */
export const silent = 600

/** A member that can't be dialled gets this long to come back by itself, ms. Guess. */
const returnTime = 4_000

/** Refused over and over, with a link that is up but silent, ms. Guess: a few round trips of a slow wide area. */
const refusedWithLink = 1_000

export interface Situation {
  readonly evidence: Evidence
  readonly isLinked: boolean
  /** False: it came from elsewhere than it announces, as from behind a NAT. */
  readonly isDialable: boolean
  /** An answer that takes longer is late, by how long others take, ms. */
  readonly late: Milliseconds
}

export function suspicionTimeout(
  { evidence, isLinked, isDialable, late }: Situation,
  { unresponsive }: { readonly unresponsive: Milliseconds },
): Milliseconds {
  const busy = Math.max(unresponsive, late)
  if (!isDialable) return isLinked ? busy : returnTime
  if (evidence === 'refused') return isLinked ? refusedWithLink : 0
  return evidence === 'silent' ? silent : busy
}
