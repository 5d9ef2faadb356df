/** Messages between a page and the member behind it. */

/** The pool that a page wants to enter, and the way into it. */
export interface Entry {
  readonly pool: string
  /** The addresses through which the tab enters: those of the member that served the page. */
  readonly bootstrap: readonly string[]
  /** The text of the pool's key. Undefined: the pool is open. */
  readonly key?: string | undefined
  /** The location of this member, such as `Firefox@tab`. */
  readonly location: string
}

/**
 * A message of a page to the member. `compute`: the page has a frame for programs, and the user
 * wants to compute. `run`: each `compute` and `stop` of a page has a new number. `bye`: the page
 * goes.
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
 * A message of the member to a page. `event`: a line of the feed. `program`: the page starts a
 * worker in its frame, with the port of the message. Without a port it ends the worker. `work`:
 * undefined if the member does not compute. `problem`: why the member could not begin to compute.
 * `run`: the last number of the page. `failed`: the member could not enter, or its pool has failed.
 * `left`: the member has left the pool.
 */
export type MemberMessage =
  | { readonly type: 'event'; readonly line: string }
  | { readonly type: 'program'; readonly id: number }
  | { readonly type: 'work'; readonly run: number; readonly work: Work | undefined; readonly problem?: string }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }
  | { readonly type: 'left' }
