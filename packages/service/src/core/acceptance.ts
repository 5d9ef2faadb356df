import type { Milliseconds } from '@jel/machine'
import { REPLICA_TIMEOUT } from './followers.ts'
import { MAX_LOG_BYTES } from './log.ts'
import type { ReplicaContext } from './replica-io.ts'

/** Operations that may be without acknowledgements. More calls wait. A guess. */
const MAX_OPEN = 4096
/** A call waits this long for a backup that is about to come, ms. A guess. */
export const BACKUP_WAIT: Milliseconds = 10_000

/** Why a primary takes no operation. */
export interface PrimaryRefusal {
  readonly code: string
  readonly message: string
}

/** How a primary stands when it gets a call. */
export interface Standing {
  /** The time of the call, and that at which the primary began. */
  readonly since: Milliseconds
  readonly beganAt: Milliseconds
  readonly hasBackup: boolean
  /** The number of its operations that some backup has not acknowledged. */
  readonly open: number
}

/**
 * Returns why a primary refuses an operation now; `wait`: not yet known; undefined: it takes the
 * operation.
 */
export function acceptance(context: ReplicaContext, { since, beganAt, hasBackup, open }: Standing): PrimaryRefusal | 'wait' | undefined {
  const { options, isMinority, store, instances, ghosts, now, changedAt } = context
  if (options.refusesInMinority && isMinority)
    return { code: 'IN_MINORITY', message: 'the primary is in a minority of its pool, and takes no operations' }
  if (store.logBytes > MAX_LOG_BYTES && isMinority)
    return { code: 'LOG_FULL', message: 'this side of a partition can keep no more operations for the other one' }
  if (options.alone || hasBackup) return open < MAX_OPEN ? undefined : 'wait'
  const others = instances.length - 1
  // In a heal a neighbour may be taken for dead for a moment.
  const longest = others === 0 && ghosts.size > 0 ? REPLICA_TIMEOUT : BACKUP_WAIT
  // Calls that come long after the last change have no reason to wait, and would pile up.
  const waitsSince = Math.min(since, Math.max(beganAt, changedAt))
  if ((others > 0 || ghosts.size > 0) && now - waitsSince < longest) return 'wait'
  return {
    code: 'DEGRADED',
    message:
      others === 0 ? 'there is no backup: no other member has this service' : 'there is no backup: no other instance has the state yet',
  }
}
