/**
 * What can go wrong in a call of the facade. Aborted calls reject with the reason of their `AbortSignal`, as in the web's own interfaces.
 */
import { JelError } from '@jel/protocol'

/**
 * A consistency level of JEL §3.3 that a pool without a coordinator can't give: `reliable` joins, `uniform` elections.
 * Raised by `joinPool` instead of giving something weaker under the same name.
 */
export class UnsupportedConsistencyError extends JelError {
  readonly code = 'UNSUPPORTED_CONSISTENCY'
  /** The option: `joins` or `elections`. */
  readonly option: string
  /** What was asked for. */
  readonly level: string

  constructor(option: string, level: string, offered: readonly string[]) {
    super(`${option}: ${JSON.stringify(level)} is not offered; offered are ${offered.map((name) => `'${name}'`).join(' and ')}`)
    this.option = option
    this.level = level
  }
}

/** This Node is too old. Raised when the package is imported. */
export class UnsupportedNodeError extends JelError {
  readonly code = 'UNSUPPORTED_NODE'

  constructor(needed: string, version: string) {
    super(`Node ${needed} or newer is needed; this is Node ${version}`)
  }
}

/** An option of `joinPool` or a command that makes no sense: the message says which and why. */
export class InvalidOptionError extends JelError {
  readonly code = 'INVALID_OPTION'
}

/** After the time allowed there were fewer members than `requireMembers`. The message says why each introducer did not let this node in. */
export class TooFewMembersError extends JelError {
  readonly code = 'TOO_FEW_MEMBERS'
  /** How many there were, this node included. */
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

/** An election name that is empty, too long or holds characters that names must not hold. */
export class InvalidElectionNameError extends JelError {
  readonly code = 'INVALID_ELECTION_NAME'

  constructor(problem: string) {
    super(`the election name ${problem}`)
  }
}

/** A signal name that is empty, too long or holds characters that names must not hold. */
export class InvalidSignalNameError extends JelError {
  readonly code = 'INVALID_SIGNAL_NAME'

  constructor(problem: string) {
    super(`the signal name ${problem}`)
  }
}

/** A record that can't be published: its name, its value or its lifetime is none that members accept. The message says which. */
export class InvalidRecordError extends JelError {
  readonly code = 'INVALID_RECORD'
}

/** A user event, a query or an answer that can't be sent: its name, its payload or its timeout is none that members accept. The message says which. */
export class InvalidEventError extends JelError {
  readonly code = 'INVALID_EVENT'
}

/** The pool has a fixed size, and as many have joined: nobody else may (a closed pool of the Ibis Portability Layer). */
export class PoolClosedError extends JelError {
  readonly code = 'POOL_CLOSED'
  /** How many the pool is for. */
  readonly size: number

  constructor(pool: string, size: number) {
    super(`the pool ${JSON.stringify(pool)} is for ${size} members, and as many have joined before this node`)
    this.size = size
  }
}

/** Members were told different sizes of one pool. */
export class PoolSizeMismatchError extends JelError {
  readonly code = 'POOL_SIZE_MISMATCH'
  /** What this node was told. */
  readonly size: number
  /** What another member announced. */
  readonly announced: number

  constructor(pool: string, size: number, announced: number) {
    super(`poolSize: the pool ${JSON.stringify(pool)} was announced to be for ${announced} members, not ${size}`)
    this.size = size
    this.announced = announced
  }
}

/** The pool was terminated, and `joinPool` was told to join none that was. */
export class PoolTerminatedError extends JelError {
  readonly code = 'POOL_TERMINATED'
  /** The id of the member that did it. */
  readonly by: string
  /** When, by that member's calendar, Unix ms. */
  readonly at: number

  constructor(pool: string, by: string, at: number) {
    super(`the pool ${JSON.stringify(pool)} was terminated by ${by} at ${new Date(at).toISOString()}`)
    this.by = by
    this.at = at
  }
}

/** While events were paused more came than may wait. Those that waited are thrown away; events that come from now on are told. */
export class EventsOverflowError extends JelError {
  readonly code = 'EVENTS_OVERFLOW'

  constructor(limit: number) {
    super(`more than ${limit} events were waiting while events were paused`)
  }
}

/** The tag of a node is larger than every member is asked to keep. */
export class TagTooLargeError extends JelError {
  readonly code = 'TAG_TOO_LARGE'

  constructor(bytes: number, limit: number) {
    super(`the tag has ${bytes} bytes; at most ${limit} are allowed`)
  }
}

/** A static attribute that can't be set: its name is none, or all would be more than every member is asked to keep. The message says which. */
export class InvalidConstantError extends JelError {
  readonly code = 'INVALID_CONSTANT'
}

/** An election was used in a pool joined with `elections: 'off'` (JEL §3.3). */
export class ElectionsOffError extends JelError {
  readonly code = 'ELECTIONS_OFF'

  constructor() {
    super("elections are off in this pool: joinPool was called with elections: 'off'")
  }
}

/** Membership changes were asked for in a pool joined with `joins: 'off'` (JEL §3.3). */
export class JoinsOffError extends JelError {
  readonly code = 'JOINS_OFF'

  constructor() {
    super("joins are off in this pool: joinPool was called with joins: 'off'")
  }
}

/** The node has left the pool, or could not go on in it: then `cause` says why. */
export class PoolLeftError extends JelError {
  readonly code = 'POOL_LEFT'

  constructor(pool: string, cause?: Error) {
    super(
      cause === undefined ? `the pool ${JSON.stringify(pool)} was left` : `the pool ${JSON.stringify(pool)} was lost: ${cause.message}`,
      cause === undefined ? undefined : { cause },
    )
  }
}

/** A candidacy was withdrawn while its result was awaited. */
export class CandidacyWithdrawnError extends JelError {
  readonly code = 'CANDIDACY_WITHDRAWN'

  constructor(election: string) {
    super(`the candidacy for ${JSON.stringify(election)} was withdrawn before there was a result`)
  }
}

/**
 * A reader of `changes()` fell so far behind that changes had to be dropped. The iterator ends with this error, so that
 * no gap goes unnoticed; a new `changes()` starts with a fresh snapshot.
 */
export class ChangesOverflowError extends JelError {
  readonly code = 'CHANGES_OVERFLOW'

  constructor(limit: number) {
    super(`more than ${limit} membership changes were waiting to be read`)
  }
}

/** `pool.libp2p` was asked for, and the host runs in another thread: open it with `thread: 'main'`. */
export class Libp2pElsewhereError extends JelError {
  readonly code = 'LIBP2P_ELSEWHERE'

  constructor() {
    super("the libp2p host runs in a worker thread and can't be reached from here: joinPool was called with thread: 'worker'")
  }
}

/** The worker thread of a pool could not be started, failed, or ended; `cause` says why, where that is known. */
export class WorkerError extends JelError {
  readonly code = 'WORKER'
}
