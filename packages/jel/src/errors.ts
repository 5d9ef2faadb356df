/**
 * The errors that calls of the facade raise. Aborted calls reject with the reason of their
 * `AbortSignal`, as web APIs do.
 */
import { JelError } from '@jel/protocol'

/** The version of Node is too old. The import of the package raises this error. */
export class UnsupportedNodeError extends JelError {
  readonly code = 'UNSUPPORTED_NODE'

  constructor(needed: string, version: string) {
    super(`Node ${needed} or newer is needed; this is Node ${version}`)
  }
}

/**
 * An option of `joinPool` or an argument of a call is invalid. The message gives its name and the
 * reason.
 */
export class InvalidOptionError extends JelError {
  readonly code = 'INVALID_OPTION'
}

/**
 * Fewer members than `requireMembers` were in the pool at the end of the timeout. The message gives
 * the reason for each introducer that did not answer.
 */
export class TooFewMembersError extends JelError {
  readonly code = 'TOO_FEW_MEMBERS'
  /** The number of members at that time, this node included. */
  readonly members: number
  /** Introducers that did not answer, and why. */
  readonly introducers: readonly { readonly address: string; readonly reason: string }[]

  constructor(required: number, members: number, timeout: number, introducers: TooFewMembersError['introducers']) {
    const reasons = introducers.map(({ address, reason }) => (reason.includes(address) ? reason : `${address}: ${reason}`))
    super([`${members} of ${required} members were here after ${timeout / 1000} s`, ...reasons].join('; '))
    this.members = members
    this.introducers = introducers
  }
}

/** An election name is empty or too long, or has a forbidden character. */
export class InvalidElectionNameError extends JelError {
  readonly code = 'INVALID_ELECTION_NAME'

  constructor(problem: string) {
    super(`the election name ${problem}`)
  }
}

/** A signal name is empty or too long, or has a forbidden character. */
export class InvalidSignalNameError extends JelError {
  readonly code = 'INVALID_SIGNAL_NAME'

  constructor(problem: string) {
    super(`the signal name ${problem}`)
  }
}

/**
 * Members would not accept the name, value or lifetime of a record, so this node can't publish it.
 * The message gives the reason.
 */
export class InvalidRecordError extends JelError {
  readonly code = 'INVALID_RECORD'
}

/**
 * Members would not accept the name, payload or timeout of a user event, a query or an answer, so
 * this node can't send it. The message gives the reason.
 */
export class InvalidEventError extends JelError {
  readonly code = 'INVALID_EVENT'
}

/**
 * The pool has a fixed size, and that many members have joined already. No other node may join
 * (like a closed pool of the Ibis Portability Layer).
 */
export class PoolClosedError extends JelError {
  readonly code = 'POOL_CLOSED'
  /** The fixed size of the pool. */
  readonly size: number

  constructor(pool: string, size: number) {
    super(`the pool ${JSON.stringify(pool)} is for ${size} members, and it was full before this node joined`)
    this.size = size
  }
}

/** Members have different sizes for one pool. */
export class PoolSizeMismatchError extends JelError {
  readonly code = 'POOL_SIZE_MISMATCH'
  /** The size that this node got as its option. */
  readonly size: number
  /** The size that another member announced. */
  readonly announced: number

  constructor(pool: string, size: number, announced: number) {
    super(`poolSize: the pool ${JSON.stringify(pool)} was announced to be for ${announced} members, not ${size}`)
    this.size = size
    this.announced = announced
  }
}

/** A member has terminated the pool, and this node requires a running pool (`requireRunning`). */
export class PoolTerminatedError extends JelError {
  readonly code = 'POOL_TERMINATED'
  /** The id of the member that terminated the pool. */
  readonly by: string
  /** The time of the termination by that member's wall clock, Unix ms. */
  readonly at: number

  constructor(pool: string, by: string, at: number) {
    super(`the pool ${JSON.stringify(pool)} was terminated by ${by} at ${new Date(at).toISOString()}`)
    this.by = by
    this.at = at
  }
}

/**
 * While events were paused, more events came than the queue holds. The pool discarded the waiting
 * events. It delivers later events.
 */
export class EventsOverflowError extends JelError {
  readonly code = 'EVENTS_OVERFLOW'

  constructor(limit: number) {
    super(`more than ${limit} events were waiting while events were paused`)
  }
}

/** The tag of a node is larger than the limit that all members enforce. */
export class TagTooLargeError extends JelError {
  readonly code = 'TAG_TOO_LARGE'

  constructor(bytes: number, limit: number) {
    super(`the tag has ${bytes} bytes; at most ${limit} are allowed`)
  }
}

/**
 * This node can't set an attribute: the name is invalid, or all attributes together would exceed
 * the limit that all members enforce. The message gives the reason.
 */
export class InvalidConstantError extends JelError {
  readonly code = 'INVALID_CONSTANT'
}

/** A call used an election, but this node joined with `elections: 'off'` (JEL §3.3). */
export class ElectionsOffError extends JelError {
  readonly code = 'ELECTIONS_OFF'

  constructor() {
    super("elections are off in this pool: joinPool was called with elections: 'off'")
  }
}

/** A call asked for membership changes, but this node joined with `joins: 'off'` (JEL §3.3). */
export class JoinsOffError extends JelError {
  readonly code = 'JOINS_OFF'

  constructor() {
    super("joins are off in this pool: joinPool was called with joins: 'off'")
  }
}

/**
 * The node has left the pool, or could not go on in it. In the second case `cause` has the reason.
 */
export class PoolLeftError extends JelError {
  readonly code = 'POOL_LEFT'

  constructor(pool: string, cause?: Error) {
    super(
      cause === undefined ? `the pool ${JSON.stringify(pool)} was left` : `the pool ${JSON.stringify(pool)} was lost: ${cause.message}`,
      cause === undefined ? undefined : { cause },
    )
  }
}

/** This node withdrew a candidacy while a call waited for its result. */
export class CandidacyWithdrawnError extends JelError {
  readonly code = 'CANDIDACY_WITHDRAWN'

  constructor(election: string) {
    super(`the candidacy for ${JSON.stringify(election)} was withdrawn before there was a result`)
  }
}

/**
 * A reader of `changes()` fell so far behind that the pool dropped changes. The iterator ends with
 * this error, so that no gap goes unnoticed. A new `changes()` starts with a fresh snapshot.
 */
export class ChangesOverflowError extends JelError {
  readonly code = 'CHANGES_OVERFLOW'

  /** @param limit undefined: this member fell behind the ledger */
  constructor(limit?: number) {
    super(
      limit === undefined
        ? 'this member fell behind the ledger, and has missed membership changes'
        : `more than ${limit} membership changes were waiting to be read`,
    )
  }
}

/**
 * The application used `pool.libp2p`, but the host runs in another thread. Join with `thread:
 * 'main'` to use it.
 */
export class Libp2pElsewhereError extends JelError {
  readonly code = 'LIBP2P_ELSEWHERE'

  constructor() {
    super("the libp2p host runs in a worker thread and can't be reached from here: joinPool was called with thread: 'worker'")
  }
}

/**
 * The worker thread of a pool did not start, failed, or ended. `cause` gives the reason if it is
 * known.
 */
export class WorkerError extends JelError {
  readonly code = 'WORKER'
}
