/**
 * A replicated log of a pool's own events, held by voters that the pool chooses.
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
export { LedgerNode, type LedgerNodeOptions } from './shell/ledger-node.ts'
export type { LedgerNews } from './shell/news.ts'
export type { LedgerPort } from './shell/port.ts'
export type { LedgerStatus } from './shell/status.ts'
