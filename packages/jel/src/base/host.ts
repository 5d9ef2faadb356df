import type { Overlay, OverlayNotification } from '@jel/overlay'

/**
 * The host dropped `lost` news items: more than `limit` items waited for an application that
 * blocked its thread. Only with `thread: 'worker'`.
 */
export interface NewsGap {
  readonly type: 'gap'
  readonly lost: number
  readonly limit: number
}

/** News of a pool: a notification, or a gap in which news was lost. */
export type PoolNews = OverlayNotification | NewsGap

/** The host of a pool: an overlay in this thread or in another. */
export interface PoolHost extends Omit<Overlay, 'subscribe'> {
  /**
   * As `Overlay.subscribe`. After a gap all other calls, such as `members()`, show the state after
   * the gap.
   */
  subscribe(listener: (news: PoolNews) => void): () => void
}
