import { inBackground } from '@jel/overlay'
import { hasSeat } from '../core/configuration.ts'
import { encode } from '../fold/bodies.ts'
import type { Life } from '../fold/events.ts'
import { lifeOf } from './candidacies.ts'
import type { Participation } from './participation.ts'

/** A leaver waits for another voter in its place at most this long, ms (LEDGER §4.5). */
const LONGEST: number = 5000
/** The interval at which it looks again, ms. A guess. */
const POLL = 10

/**
 * Ends a life in the ledger. Other members vote in its place first. So members that leave one by
 * one never lose the majority.
 */
export async function leaveLedger(part: Participation, life: Life, isClosed: () => boolean): Promise<void> {
  const late = new Promise<void>((resolve) => inBackground(setTimeout(resolve, LONGEST)))
  const left = part.client
    .propose(() => encode('gone', { ...lifeOf(life), how: 'left' }))
    .then(async () => await isReplaced(part, isClosed))
  await Promise.race([late, left.catch(() => {})])
}

async function isReplaced(part: Participation, isClosed: () => boolean): Promise<void> {
  const isVoter = (): boolean => part.seat !== undefined && hasSeat(part.seat.state.configuration, part.seat.seat)
  while (!isClosed() && part.applied.fold.members.length > 0 && isVoter()) await new Promise((resolve) => setTimeout(resolve, POLL))
}
