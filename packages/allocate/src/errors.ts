import { JelError } from '@jel/protocol'

/** Base class of the errors of allocation. */
abstract class AllocateError extends JelError {}

/** Fewer members match than are wanted. The message counts the members for each condition. */
export class TooFewMatchError extends AllocateError {
  readonly code = 'NEVER'
}

/** Two members could not measure each other. */
export class ProbeError extends AllocateError {
  readonly code = 'PROBE_FAILED'
}

/** Each placement of a pattern needs a pair of members whose bandwidth is unknown. */
export class UnknownPairError extends AllocateError {
  readonly code = 'UNKNOWN_PAIR'
}

/**
 * The options of a selection, an offer, a lease or a group are not valid, or the allocator is
 * closed.
 */
export class InvalidRequestError extends AllocateError {
  readonly code = 'INVALID_REQUEST'
}

/** The member did not grant the lease, or does not answer. */
export class LeaseError extends AllocateError {
  readonly code: string
  /**
   * The time until the capacity is free for the wanted term, ms. Undefined: it is unknown, or the
   * capacity never is.
   */
  readonly earliest: number | undefined

  /** @param code `CAPACITY`, `NO_CAPACITY`, `TOO_MANY`, `NO_LEASE`, `NO_ANSWER` or `DENIED` */
  constructor(code: string, message: string, earliest?: number) {
    super(message)
    this.code = code
    this.earliest = earliest
  }
}

/** A lease has ended: its term is over, it was released, or its granter is gone. */
export class LeaseEndedError extends AllocateError {
  readonly code = 'LEASE_ENDED'
}

/** A group did not start, a rank of it is lost, or it has ended. */
export class GroupError extends AllocateError {
  readonly code: 'NEVER' | 'TIMEOUT' | 'STOPPED' | 'RANK_LOST' | 'REVOKED'

  constructor(code: GroupError['code'], message: string) {
    super(message)
    this.code = code
  }
}
