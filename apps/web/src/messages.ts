/** Messages between a page and the member behind it. */

/** How to enter a pool. */
export interface Entry {
  readonly pool: string
  /** Addresses of members: the member that served the page. */
  readonly bootstrap: readonly string[]
  /** The text of the pool's key. Undefined: the pool is open. */
  readonly key?: string | undefined
  /** The location of this member, as people read it. */
  readonly location: string
}

/** A page to the member. `bye`: this page goes. */
export type PageMessage = ({ readonly type: 'enter' } & Entry) | { readonly type: 'leave' } | { readonly type: 'bye' }

/**
 * The member to a page. `event`: a line of the feed. `failed`: it could not enter, or was thrown
 * out. `left`: it has left the pool.
 */
export type MemberMessage =
  | { readonly type: 'event'; readonly line: string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'left' }
