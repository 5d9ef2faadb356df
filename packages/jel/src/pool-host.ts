import type { Overlay, OverlayNotification } from '@jel/overlay'

/** So many news were dropped, since more than `limit` waited for an application that blocked its thread. Only with `thread: 'worker'`. */
export interface NewsGap {
  readonly type: 'gap'
  readonly lost: number
  readonly limit: number
}

export type PoolNews = OverlayNotification | NewsGap

/** What a pool stands on: an overlay in this thread or in another. */
export interface PoolHost extends Omit<Overlay, 'subscribe'> {
  /** As an overlay's. After a gap everything else, such as `members()`, reads as it is after it. */
  subscribe(listener: (news: PoolNews) => void): () => void
}
