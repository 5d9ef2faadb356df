import type { Overlay, OverlayNotification } from '@jel/overlay'

/** The part of a node that a ledger uses. */
export interface LedgerPort extends Pick<
  Overlay,
  'pool' | 'self' | 'members' | 'open' | 'handle' | 'unhandle' | 'sign' | 'setConstant' | 'rejoin'
> {
  /** The news `gap` means that other news was lost, so the listener must read `members()` again. */
  subscribe(listener: (news: OverlayNotification | { readonly type: 'gap' }) => void): () => void
}
