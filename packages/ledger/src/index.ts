/**
 * A replicated log of the events of a pool. Members that the pool chooses, the voters, store it.
 *
 * This entry exports the errors and types. `@jel/ledger/node` exports the ledger, so that a program
 * without a ledger does not load it.
 *
 * @packageDocumentation
 */
export {
  LedgerBusyError,
  LedgerConflictError,
  LedgerCorruptError,
  LedgerFileError,
  LedgerGapError,
  LedgerMissingError,
  NoMajorityError,
  RecoveryError,
} from './errors.ts'
export type { LedgerEvent, LedgerMember, Life } from './fold/events.ts'
export type { Founding } from './shell/founding.ts'
export type { LedgerNode, LedgerNodeOptions } from './shell/ledger-node.ts'
export type { LedgerNews } from './shell/news.ts'
export type { LedgerPort } from './shell/port.ts'
export type { LedgerStatus } from './shell/status.ts'
