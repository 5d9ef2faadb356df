/** One life of a member. */
export interface Life {
  readonly id: string
  readonly incarnation: number
}

/** A life that counts in the ledger. */
export interface LedgerMember extends Life {
  /** The number of ids that joined before. A later life of an id keeps its rank. */
  readonly rank: number
  /** The index of the entry of the join. */
  readonly index: number
}

/**
 * News of the ledger, at the place of its entry: all members get the same events in the same
 * order (JEL §5.1). `index`: the index of that entry.
 */
export type LedgerEvent =
  | { readonly type: 'joined'; readonly index: number; readonly member: LedgerMember }
  | { readonly type: 'ended'; readonly index: number; readonly life: Life; readonly how: 'left' | 'died' }
  /** All ids of a closed pool have joined. */
  | { readonly type: 'poolClosed'; readonly index: number }
  /** A closed pool does not take this life. */
  | { readonly type: 'refused'; readonly index: number; readonly life: Life }
  /**
   * The epoch is the index, so it rises over all elections. Each election and epoch has one winner.
   */
  | { readonly type: 'elected'; readonly index: number; readonly election: string; readonly winner: Life; readonly epoch: number }
  /** A reign has ended, and there is no candidate. */
  | { readonly type: 'vacant'; readonly index: number; readonly election: string }
  | { readonly type: 'ordered'; readonly index: number; readonly from: Life; readonly name: string; readonly payload: Uint8Array }
