import type { LedgerEvent } from '../fold/events.ts'
import type { LedgerStatus } from './status.ts'

/** News of a ledger for the facade. */
export type LedgerNews =
  /** An event of the ledger after this member's own join. */
  | { readonly type: 'event'; readonly event: LedgerEvent }
  /** This member lagged and has missed events. A snapshot has replaced the state. */
  | { readonly type: 'gap' }
  | { readonly type: 'status'; readonly status: LedgerStatus }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** The ledger has refused this member: the pool is full. */
  | { readonly type: 'refused' }
