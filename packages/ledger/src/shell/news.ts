import type { LedgerEvent } from '../fold/events.ts'
import type { LedgerStatus } from './status.ts'

/** News of a ledger for the facade. */
export type LedgerNews =
  /** An event of the ledger after this member's own join. */
  | { readonly type: 'event'; readonly event: LedgerEvent }
  /** The member fell behind, and has lost events. The state is that of a snapshot. */
  | { readonly type: 'gap' }
  | { readonly type: 'status'; readonly status: LedgerStatus }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The ledger does not take this member: the pool is full. */
  | { readonly type: 'refused' }
