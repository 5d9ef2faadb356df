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

/**
 * A page to the member. `compute`: this page has a frame for programs, and the user wants to
 * compute. `run`: a new number for each `compute` and `stop`. `bye`: this page goes.
 */
export type PageMessage =
  | ({ readonly type: 'enter' } & Entry)
  | { readonly type: 'compute'; readonly workers: number; readonly run: number }
  | { readonly type: 'stop'; readonly run: number }
  | { readonly type: 'leave' }
  | { readonly type: 'bye' }

/** The work of this member since it began to compute. */
export interface Work {
  /** The number of tasks that run here at once. */
  readonly workers: number
  /** The number of tasks that run now. */
  readonly busy: number
  readonly tasks: number
  readonly failed: number
  /** The time for which tasks ran, ms. */
  readonly ran: number
  /** Bytes of programs and inputs that this member keeps. */
  readonly bytes: number
  /** The jobs for which this member works, by name and owner. */
  readonly jobs: readonly { readonly name: string; readonly owner: string }[]
}

/**
 * The member to a page. `event`: a line of the feed. `program`: starts a worker in the frame of the
 * page, with the port of the message, or ends it if there is no port. `work`: undefined if this
 * member does not compute, with `hasFailed` if it could not begin. `run`: the last number of that
 * page. `failed`: it could not enter, or was thrown out. `left`: it has left the pool.
 */
export type MemberMessage =
  | { readonly type: 'event'; readonly line: string }
  | { readonly type: 'program'; readonly id: number }
  | { readonly type: 'work'; readonly run: number; readonly work: Work | undefined; readonly hasFailed?: boolean }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'left' }
