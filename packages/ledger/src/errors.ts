import { JelError } from '@jel/overlay'

/**
 * The file of a ledger can't be used: it belongs to another member, or can't be read or written.
 */
export class LedgerFileError extends JelError {
  readonly code = 'LEDGER_FILE'
}

/** The file of a ledger is damaged before its end. It is left as it is. */
export class LedgerCorruptError extends JelError {
  readonly code = 'LEDGER_CORRUPT'
}

/** No ledger came in time: nobody founded one, or none of its voters can be reached. */
export class LedgerMissingError extends JelError {
  readonly code = 'LEDGER_MISSING'
}

/** The members of a pool have two ledgers, or name two different foundings. */
export class LedgerConflictError extends JelError {
  readonly code = 'LEDGER_CONFLICT'
}

/** Too few voters can be reached, so the ledger takes no entries on this side. */
export class NoMajorityError extends JelError {
  readonly code = 'NO_MAJORITY'
}

/** Too many calls of this member wait for the ledger. */
export class LedgerBusyError extends JelError {
  readonly code = 'LEDGER_BUSY'
}

/** This member fell behind, and a snapshot stands in the place of events that it waited for. */
export class LedgerGapError extends JelError {
  readonly code = 'LEDGER_GAP'
}

/** A recovery that would do harm, or nothing. */
export class RecoveryError extends JelError {
  readonly code = 'LEDGER_RECOVERY'
}
