/** One life of a member. */
export interface Life {
  readonly id: string
  readonly incarnation: number
}

/** A life that has joined the ledger. */
export interface LedgerMember extends Life {
  /** The number of ids that joined before. A later life of an id keeps its rank. */
  readonly rank: number
  /** The index of the entry of the join. */
  readonly index: number
}

/**
 * An event that follows from a committed entry. All members get the same events in the same order
 * (JEL §5.1). `index`: the index of the entry.
 */
export type LedgerEvent =
  | { readonly type: 'joined'; readonly index: number; readonly member: LedgerMember }
  | { readonly type: 'ended'; readonly index: number; readonly life: Life; readonly how: 'left' | 'died' }
  /** A pool of a fixed size is full: no further id can join. */
  | { readonly type: 'poolClosed'; readonly index: number }
  /** The pool is full, and has refused this life. */
  | { readonly type: 'refused'; readonly index: number; readonly life: Life }
  /**
   * The epoch is the index, so it rises over all elections. Each election and epoch has one winner.
   */
  | { readonly type: 'elected'; readonly index: number; readonly election: string; readonly winner: Life; readonly epoch: number }
  /** A reign has ended, and there is no other candidate. */
  | { readonly type: 'vacant'; readonly index: number; readonly election: string }
  | { readonly type: 'ordered'; readonly index: number; readonly from: Life; readonly name: string; readonly payload: Uint8Array }
