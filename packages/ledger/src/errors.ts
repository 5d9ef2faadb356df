import { JelError } from '@jel/overlay'

/**
 * The file of a ledger can't be used: it belongs to another member, or can't be read or written.
 */
export class LedgerFileError extends JelError {
  readonly code = 'LEDGER_FILE'
}

/** The file of a ledger is damaged before its end. The damaged file is not changed. */
export class LedgerCorruptError extends JelError {
  readonly code = 'LEDGER_CORRUPT'
}

/** This member is in no ledger: it found none in time, or it has left. */
export class LedgerMissingError extends JelError {
  readonly code = 'LEDGER_MISSING'
}

/** The members of a pool have two ledgers, or name two different foundings. */
export class LedgerConflictError extends JelError {
  readonly code = 'LEDGER_CONFLICT'
}

/** Too few voters can be reached, so the ledger commits no entries here. */
export class NoMajorityError extends JelError {
  readonly code = 'NO_MAJORITY'
}

/** Too many calls of this member wait for the ledger. */
export class LedgerBusyError extends JelError {
  readonly code = 'LEDGER_BUSY'
}

/** This member lagged, and a snapshot has replaced events that it waited for. */
export class LedgerGapError extends JelError {
  readonly code = 'LEDGER_GAP'
}

/** A recovery is refused: it would do harm, or nothing. */
export class RecoveryError extends JelError {
  readonly code = 'LEDGER_RECOVERY'
}
