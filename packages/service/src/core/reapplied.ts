/** Former results of one operation that are kept: one for each partition in a row. A guess. */
export const MAX_FORMER = 8

/**
 * An operation that one side of a partition acknowledged, and that was applied again after the
 * partition to the state of the other side.
 */
export interface Reapplied {
  /** The service. */
  readonly name: string
  readonly key: string
  readonly operation: unknown
  /** The former results. The caller has one of them. Mostly there is one. */
  readonly before: readonly unknown[]
  /** The result now; undefined: it failed. */
  readonly after?: unknown
  /** Why it failed. */
  readonly error?: string | undefined
}
