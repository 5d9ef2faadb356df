import { hasSeat } from '../core/configuration.ts'
import { encode } from '../fold/bodies.ts'
import type { Life } from '../fold/events.ts'
import { lifeOf } from './candidacies.ts'
import type { Participation } from './participation.ts'
import { pause } from '@jel/overlay'

/** A member that leaves waits at most this long until it is no voter any more, ms. */
const LONGEST: number = 5000
/** The interval at which it checks that, ms. A guess. */
const POLL = 10

/**
 * Ends a life in the ledger. Waits until this member is no voter any more, but at most `LONGEST`.
 * So members that leave one by one keep the majority, if each of them is replaced in that time.
 */
export async function leaveLedger(part: Participation, life: Life, isShutDown: () => boolean): Promise<void> {
  const left = part.client
    .propose(() => encode('gone', { ...lifeOf(life), how: 'left' }))
    .then(async () => await isReplaced(part, isShutDown))
  await Promise.race([pause(LONGEST, { background: true }), left.catch(() => {})])
}

async function isReplaced(part: Participation, isShutDown: () => boolean): Promise<void> {
  const isVoter = (): boolean => part.seat !== undefined && hasSeat(part.seat.state.configuration, part.seat.seat)
  while (!isShutDown() && part.applied.fold.members.length > 0 && isVoter()) await pause(POLL)
}
