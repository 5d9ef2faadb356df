/**
 * The suspicion time-out: the time for which a node probes a member directly before it asks
 * helpers.
 *
 * | member | found | wait |
 * | --- | --- | --- |
 * | hidden, no link | silent: its relays have no connection to it | 0.6 s |
 * | hidden, no link | unresponsive: it does not answer over its relays | as for dialable ones |
 * | can't be dialled, no link | anything else | 4 s: it must come back by itself |
 * | can't be dialled, link up | anything | as long as an unresponsive process |
 * | dialable | refused | none; 1 s while a link is up |
 * | dialable | silent: nothing answers | 0.6 s |
 * | dialable | unresponsive: kernel accepts, process is silent | 15 s; longer if all are slow |
 * | dialable | nothing yet | as long as an unresponsive process |
 *
 * The health multiplier multiplies the wait.
 */
import type { Milliseconds } from '../../base/values.ts'

/** The latest finding about a member's host. */
export type Evidence = 'none' | 'refused' | 'silent' | 'unresponsive'

/** Wait for a silent host (no refusal, no acceptance), ms. Guess: as long as a host probe waits. */
export const silent = 600

/** A member that can't be dialled gets this time to come back by itself, ms. Guess. */
const returnTime = 4_000

/**
 * Wait for a host that refuses while a link is up but silent, ms. Guess: a few round trips in a
 * slow wide-area network.
 */
const refusedWithLink = 1_000

export interface Situation {
  readonly evidence: Evidence
  readonly isLinked: boolean
  /**
   * False: the member connects from another address than it announces, for example behind a NAT.
   */
  readonly isDialable: boolean
  /** True: the member says that it is hidden. Others reach it over its relays. */
  readonly isHidden: boolean
  /** An answer that takes longer is late, ms. This time follows the median duration of answers. */
  readonly late: Milliseconds
}

export function suspicionTimeout(
  { evidence, isLinked, isDialable, isHidden, late }: Situation,
  { unresponsive }: { readonly unresponsive: Milliseconds },
): Milliseconds {
  const busy = Math.max(unresponsive, late)
  if (!isDialable && isLinked) return busy
  if (isHidden && (evidence === 'silent' || evidence === 'unresponsive')) return evidence === 'silent' ? silent : busy
  if (!isDialable) return returnTime
  if (evidence === 'refused') return isLinked ? refusedWithLink : 0
  return evidence === 'silent' ? silent : busy
}
