import type { Milliseconds } from '@jel/machine'
import { REPLICA_TIMEOUT } from './followers.ts'
import { MAX_LOG_BYTES } from './log.ts'
import type { ReplicaContext } from './replica-io.ts'

/** The most operations without acknowledgements. Further calls wait. A guess. */
const MAX_OPEN = 4096
/** The longest time for which a call waits for the next backup, ms. A guess. */
export const BACKUP_WAIT: Milliseconds = 10_000

/** Why a primary refuses an operation. */
export interface PrimaryRefusal {
  readonly code: string
  readonly message: string
}

/** The situation of a primary that gets a call. */
export interface Standing {
  /** The time of the call. */
  readonly since: Milliseconds
  /** The time at which the primary began. */
  readonly beganAt: Milliseconds
  readonly hasBackup: boolean
  /** The number of operations that some backup has not acknowledged. */
  readonly open: number
}

/**
 * Returns why a primary refuses an operation now. `wait`: that is not known yet. Undefined: the
 * primary applies the operation.
 */
export function acceptance(context: ReplicaContext, { since, beganAt, hasBackup, open }: Standing): PrimaryRefusal | 'wait' | undefined {
  const { options, isMinority, store, instances, ghosts, now, changedAt } = context
  if (options.refusesInMinority && isMinority)
    return { code: 'IN_MINORITY', message: 'the primary is in a minority of its pool, and refuses operations' }
  if (store.logBytes > MAX_LOG_BYTES && isMinority)
    return { code: 'LOG_FULL', message: 'this side of a partition can keep no more operations for the other one' }
  if (options.alone || hasBackup) return open < MAX_OPEN ? undefined : 'wait'
  const others = instances.length - 1
  // At the end of a partition an instance may seem to be dead for a moment.
  const longest = others === 0 && ghosts.size > 0 ? REPLICA_TIMEOUT : BACKUP_WAIT
  // A call that comes long after the last change does not wait: no backup is about to come.
  const waitsSince = Math.min(since, Math.max(beganAt, changedAt))
  if ((others > 0 || ghosts.size > 0) && now - waitsSince < longest) return 'wait'
  return {
    code: 'DEGRADED',
    message:
      others === 0 ? 'there is no backup: no other member has this service' : 'there is no backup: no other instance has the state yet',
  }
}
